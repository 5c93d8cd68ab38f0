#pragma once

#include "broker/sql/ast.h"

namespace trellis::broker {

// Pinot's rewrite of SUM, AVG, MIN and MAX over one column and one numeric literal
// (pinot-sql.md 1.6.2), which names and computes the result column: SUM(x + 1) is
// `add(sum(x),mult('1',count(x)))`. Applies to a normalised select item that is such a call as a
// whole; others stay.
void RewriteArithmeticAggregate(sql::Expr& expr);

}  // namespace trellis::broker
