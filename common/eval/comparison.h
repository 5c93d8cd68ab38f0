#pragma once

#include "common/eval/kernel.h"

namespace trellis::eval {

// Private to this room: comparisons as building blocks of IN, BETWEEN, IS DISTINCT FROM.

enum class Comparison : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};

// BOOLEAN `a op b` by Pinot's rules for mixed types (pinot-sql.md 2.3): exact between integers and
// floating numbers, a literal takes the other side's type, text against numbers is parsed.
Result<FunctionPtr> ResolveComparison(Comparison comparison, const Call& call);

// Compares exactly, as Java's BigDecimal would. Returns <0, 0 or >0; NaN is above everything.
int CompareLongWithDouble(int64_t a, double b);

}  // namespace trellis::eval
