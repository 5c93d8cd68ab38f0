#pragma once

#include <cstdint>
#include <string_view>

#include "common/aggregate/aggregate_function.h"
#include "common/base/status.h"
#include "common/vector/column_vector.h"

namespace trellis::aggregate {

#define TRELLIS_ALWAYS_INLINE __attribute__((always_inline))

// How the i-th added row finds its place in a column: three loops instead of two branches a row.
struct EachRow {
  size_t operator()(size_t i) const { return i; }
};
struct PickedRow {
  const uint32_t* rows;
  size_t operator()(size_t i) const { return rows[i]; }
};
struct ConstantRow {
  size_t operator()(size_t) const { return 0; }
};

// Calls f with the row finder that suits `column` and `rows`.
template <class F>
TRELLIS_ALWAYS_INLINE inline void WithRow(const ColumnVector& column, const RowsToGroups& rows,
                                          F&& f) {
  if (column.is_constant()) {
    f(ConstantRow{});
  } else if (rows.rows != nullptr) {
    f(PickedRow{rows.rows});
  } else {
    f(EachRow{});
  }
}

// The column's null bytes where nulls are to be skipped and there are any, else null.
inline const uint8_t* NullsToSkip(const ColumnVector& column, bool null_handling) {
  return null_handling && column.has_nulls() ? column.nulls().data() : nullptr;
}

// Calls f(group, value) for every value of the rows to add, each element of a multi-value column,
// in row order. T is the column's physical type. Skips null rows under null handling.
template <class T, class F>
TRELLIS_ALWAYS_INLINE inline void ForEachValue(const ColumnVector& column, const RowsToGroups& rows,
                                               bool null_handling, F&& f) {
  const T* values = column.values<T>().data();
  const uint8_t* nulls = NullsToSkip(column, null_handling);
  if (column.is_multi_value()) {
    const uint32_t* offsets = column.offsets().data();
    for (size_t i = 0; i < rows.count; ++i) {
      const size_t row = rows.row(i);
      if (nulls != nullptr && nulls[row]) continue;
      const size_t group = rows.group(i);
      for (uint32_t at = offsets[row]; at < offsets[row + 1]; ++at) f(group, values[at]);
    }
    return;
  }
  WithRow(column, rows, [&](auto row_of) TRELLIS_ALWAYS_INLINE {
    if (nulls == nullptr && rows.groups != nullptr) {
      for (size_t i = 0; i < rows.count; ++i)
        f(static_cast<size_t>(rows.groups[i]), values[row_of(i)]);
      return;
    }
    for (size_t i = 0; i < rows.count; ++i) {
      const size_t row = row_of(i);
      if (nulls != nullptr && nulls[row]) continue;
      f(rows.group(i), values[row]);
    }
  });
}

// Calls f with a tag of the C++ type of a numeric column: int32_t, int64_t, float or double.
// REQUIRES: the physical form is not kBytes.
template <class F>
decltype(auto) WithNumeric(Physical physical, F&& f) {
  switch (physical) {
    case Physical::kInt32:
      return f(int32_t{});
    case Physical::kInt64:
      return f(int64_t{});
    case Physical::kFloat:
      return f(float{});
    default:
      return f(double{});
  }
}

// Java's autounboxed widening: every number as the double Pinot computes with.
template <class T>
double ToDouble(T value) {
  return static_cast<double>(value);
}

// INT LONG FLOAT DOUBLE BIG_DECIMAL, and BOOLEAN and TIMESTAMP, which Pinot reads by their stored
// numbers.
bool ReadsAsNumber(DataType type);

// Errors: Query(700) "Cannot compute sum for non-numeric type: STRING" unless argument `at` is a
// number.
Status RequireNumber(const AggregateSpec& spec, size_t at = 0);
// Refuses MAP and OPEN_STRUCT, whose rows are frames: neither values nor texts.
Status RefuseMap(const AggregateSpec& spec, size_t at = 0);
// Errors: Query(700) when argument `at` is multi-value.
Status RequireSingleValue(const AggregateSpec& spec, size_t at = 0);
// Errors: Query(700) when there are more parameters than `max`.
Status RequireParameters(const AggregateSpec& spec, size_t min, size_t max);

// Errors: Internal when the columns are not `count` ones of the types that the function was
// resolved for.
Status CheckArguments(std::span<const ColumnVector* const> arguments,
                      std::span<const ValueType> types);

// The column with fixed-width numbers: itself, or for BIG_DECIMAL `scratch` filled with the nearest
// doubles. Errors: Corrupt for bytes that are no BIG_DECIMAL.
Result<const ColumnVector*> AsNumbers(const ColumnVector& column, ColumnVector& scratch);

// The column read as `type`: itself where the physical form is equal, else `scratch` filled as
// Pinot converts values: numbers into each other by Java's casts, anything into STRING by its text.
// Errors: Query(700) for pairs that have no such conversion (see CanReadAs).
Result<const ColumnVector*> ReadAs(DataType type, const ColumnVector& column,
                                   ColumnVector& scratch);
bool CanReadAs(DataType from, DataType to);

}  // namespace trellis::aggregate
