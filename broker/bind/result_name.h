#pragma once

#include <string>

#include "broker/sql/ast.h"

namespace trellis::broker {

// The name of a result column without an alias, as Pinot prints it (pinot-wire.md section 9),
// aggregations' own forms included: `percentile(hits, 95.0)`, `mode(x)` for MODE(x,'MAX'),
// `count(*) FILTER(WHERE ...)`.
std::string ResultName(const sql::Expr& expr);

// The name of a literal in a query that the broker answers alone: numbers bare, text quoted.
std::string LiteralName(const Value& literal);

}  // namespace trellis::broker
