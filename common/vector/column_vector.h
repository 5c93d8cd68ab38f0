#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "common/types/value.h"
#include "common/vector/arena.h"

namespace trellis {

template <Physical P>
struct PhysicalTraits;
template <>
struct PhysicalTraits<Physical::kInt32> {
  using Type = int32_t;
};
template <>
struct PhysicalTraits<Physical::kInt64> {
  using Type = int64_t;
};
template <>
struct PhysicalTraits<Physical::kFloat> {
  using Type = float;
};
template <>
struct PhysicalTraits<Physical::kDouble> {
  using Type = double;
};
template <>
struct PhysicalTraits<Physical::kBytes> {
  using Type = std::string_view;
};

// A batch of values of one column or expression: the currency between readers, functions,
// aggregates and blocks.
//
// Shape: `size()` rows. A single-value vector has one flat value a row; a constant one has exactly
// one flat value that stands for every row (literals). A multi-value vector has `offsets()` of
// size()+1 entries into the flat values. Nulls are one byte a row (1 = null), empty when no row is
// null; the flat value under a null row is the column's default (or a placeholder) and must be
// readable.
//
// Ownership: fixed-width values are owned. Strings are views: into the vector's own `arena()`, or
// into memory kept alive by `Keep`, or (where a reader says so) into a mapped segment that the
// caller has pinned. Movable, copyable (copies share arenas). Not thread-safe for writing.
class ColumnVector {
 public:
  ColumnVector() = default;
  explicit ColumnVector(ValueType type) { Reset(type); }
  explicit ColumnVector(DataType type) { Reset({type, false}); }

  // Empties the vector and gives it a type; capacity is kept when the physical form stays.
  void Reset(ValueType type);
  // Reset to a single-value type and Resize in one, for a caller who overwrites every flat value:
  // those of before stay until then instead of being cleared.
  void ResetForOverwrite(DataType type, size_t rows);
  // A constant of `rows` rows. Null values keep a placeholder under the null.
  static ColumnVector Constant(const Value& value, size_t rows);

  DataType type() const { return type_.type; }
  ValueType value_type() const { return type_; }
  bool is_multi_value() const { return type_.multi_value; }
  Physical physical() const { return PhysicalOf(type_.type); }
  bool is_constant() const { return constant_; }
  size_t size() const { return rows_; }
  // Re-labels the type; the physical form must stay (TIMESTAMP as LONG, STRING as JSON).
  void Relabel(DataType type);

  // The flat values. T must be the physical form's C++ type: int32_t, int64_t, float, double,
  // string_view. After filling a single-value vector directly, call SetSize.
  template <class T>
  std::vector<T>& values() {
    return std::get<std::vector<T>>(values_);
  }
  template <class T>
  const std::vector<T>& values() const {
    return std::get<std::vector<T>>(values_);
  }
  size_t flat_size() const;

  // Sets the number of rows and resizes the flat values of a single-value vector to match.
  void Resize(size_t rows);
  // Declares the number of rows after the flat values were filled by hand.
  void SetSize(size_t rows) { rows_ = rows; }

  std::vector<uint32_t>& offsets() { return offsets_; }
  const std::vector<uint32_t>& offsets() const { return offsets_; }

  bool has_nulls() const { return !nulls_.empty(); }
  bool is_null(size_t row) const { return !nulls_.empty() && nulls_[constant_ ? 0 : row] != 0; }
  // One byte a row, created all-valid on first use.
  std::vector<uint8_t>& mutable_nulls();
  const std::vector<uint8_t>& nulls() const { return nulls_; }
  void ClearNulls() { nulls_.clear(); }
  void SetNull(size_t row) { mutable_nulls()[row] = 1; }

  Arena& arena();
  // Keeps `owner` alive as long as this vector and its copies.
  void Keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }
  // Keeps everything alive that `other` keeps alive: for vectors whose views point into other's
  // bytes.
  void KeepAllOf(const ColumnVector& other);

  // Appends one row. A null appends the type's placeholder under the null. Slow path: tests,
  // literals.
  void Append(const Value& value);
  // The value of one row, bytes copied. A null row gives Value::Null.
  Value Get(size_t row) const;

  // Appends rows `rows` of `source` (same type), copying string bytes into the arena.
  void AppendRows(const ColumnVector& source, std::span<const uint32_t> rows);
  // Appends all rows of `source` (same type), copying string bytes into the arena.
  void AppendAll(const ColumnVector& source);

 private:
  void ResetAllButValues(ValueType type);
  ValueType type_;
  bool constant_ = false;
  size_t rows_ = 0;
  std::variant<std::vector<int32_t>, std::vector<int64_t>, std::vector<float>, std::vector<double>,
               std::vector<std::string_view>>
      values_;
  std::vector<uint32_t> offsets_;
  std::vector<uint8_t> nulls_;
  std::shared_ptr<Arena> arena_;
  std::vector<std::shared_ptr<const void>> owners_;
};

// Reads flat values of a single-value vector by row, a constant's one value for every row.
template <class T>
class RowReader {
 public:
  explicit RowReader(const ColumnVector& vector)
      : data_(vector.values<T>().data()), stride_(vector.is_constant() ? 0 : 1) {}
  const T& operator[](size_t row) const { return data_[row * stride_]; }

 private:
  const T* data_;
  size_t stride_;
};

// Calls `f` with a value of the physical form's C++ type as a tag: f(T{}).
template <class F>
decltype(auto) WithPhysical(Physical physical, F&& f) {
  switch (physical) {
    case Physical::kInt32:
      return f(int32_t{});
    case Physical::kInt64:
      return f(int64_t{});
    case Physical::kFloat:
      return f(float{});
    case Physical::kDouble:
      return f(double{});
    case Physical::kBytes:
      break;
  }
  return f(std::string_view{});
}

}  // namespace trellis
