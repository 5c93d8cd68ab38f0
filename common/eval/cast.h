#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "common/eval/kernel.h"

namespace trellis::eval {

// Private to this room: conversions between column types (pinot-functions.md 2.3).

// The type that a CAST target names: INT or INTEGER, VARCHAR, STRING_ARRAY, ... in any case.
std::optional<ValueType> ParseCastTarget(std::string_view name);

// Whether values of `from` have a conversion to `to` at all.
bool IsCastable(DataType from, DataType to);

struct CastRules {
  // Computed text is read as a double and truncated where an integer is wanted; stored text must be
  // one.
  bool lenient_text = false;
  // Whether a value that does not convert is a fault, by its flat index; otherwise a placeholder
  // stands.
  std::function<bool(size_t)> is_fault = [](size_t) { return true; };
};

// Converts the flat values of `in` into those of `out`, which is resized; offsets and nulls are
// left to the caller. REQUIRES: IsCastable, `out` has the target's type and is not `in`. Errors:
// Query(kQueryExecution) `For input string: "x"`.
Status CastValues(const ColumnVector& in, const CastRules& rules, ColumnVector& out);

// Returns `in` itself when its type is `to`, else converts it into `scratch`, constants to
// constants, nulls included. Values that do not convert become placeholders. REQUIRES:
// single-value, IsCastable.
const ColumnVector& ConvertTo(const ColumnVector& in, DataType to, ColumnVector& scratch);

}  // namespace trellis::eval
