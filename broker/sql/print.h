#pragma once

#include <string>

#include "broker/sql/ast.h"

namespace trellis::sql {

// The name Pinot gives a result column without an alias (pinot-wire.md section 9): canonical
// function names, arguments joined by "," without blanks, every literal in single quotes (inner
// quotes not doubled), columns bare: `sum(plus(times(intCol,'2'),rangeCol))`, `count(*)
// FILTER(WHERE intCol > '0')`. Aggregations whose names differ (`percentile(hits, 95.0)`,
// `mode(x)`, `count(*)` for COUNT(x)) are the binder's: it knows which functions aggregate. It may
// print the arguments with this.
std::string PrintExpr(const Expr& expr);

// A condition in the infix form of FILTER(WHERE ...): `a BETWEEN '1' AND '2'`, `a IN ('x','y')`,
// `(p AND q)`, `(NOT p)`, `f(x) = 'true'`.
std::string PrintPredicate(const Expr& condition);

}  // namespace trellis::sql
