#pragma once

#include <optional>
#include <string_view>

#include "common/base/status.h"
#include "common/types/value.h"

namespace trellis::broker {

enum class Comparison : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};

// `x <comparison> value` where x is of the value's type, or a comparison that is the same for every
// x.
struct FoldedComparison {
  std::optional<bool> constant;
  Comparison comparison = Comparison::kEqual;
  Value value;
};

// Rewrites a comparison of a numeric x of `type` with a numeric literal of another type into one in
// x's own type that is true for the same x (pinot-sql.md 1.6.9d): `intCol > 1.5` is `intCol > 1`,
// `intCol = 1.5` is FALSE, a literal beyond the type's range folds. FLOAT columns compare with the
// literal's text read as FLOAT. Text literals are parsed in the type. Errors: Query(700) for text
// that does not parse.
Result<FoldedComparison> FoldComparison(DataType type, Comparison comparison, const Value& literal);

// The literal in the type of what it is compared with, by way of its text (pinot-sql.md 2.2).
// Errors: Query(700).
Result<Value> ConvertLiteral(const Value& literal, DataType type);

}  // namespace trellis::broker
