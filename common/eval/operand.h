#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/types/big_decimal.h"
#include "common/vector/column_vector.h"

namespace trellis::eval {

// Reads a single-value vector's rows as T, whatever its physical form: the vector's own values
// where they are T already, else a converted copy made once a batch. Numbers convert as Java's
// casts do; text comes from stored values (BOOLEAN as 1/0, TIMESTAMP as milliseconds). A NULL
// literal reads as T{}. REQUIRES: numeric T: ConvertsToNumber(vector.type()). The vector outlives
// the operand.
template <class T>
class Operand {
 public:
  explicit Operand(const ColumnVector& vector);
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  const T& operator[](size_t row) const { return data_[row * stride_]; }
  bool is_constant() const { return stride_ == 0; }

 private:
  std::vector<T> converted_;
  std::vector<std::string> texts_;  // what the views of a converted text operand point into
  const T* data_ = nullptr;
  size_t stride_ = 1;
};

extern template class Operand<int32_t>;
extern template class Operand<int64_t>;
extern template class Operand<float>;
extern template class Operand<double>;
extern template class Operand<std::string_view>;

// The rows of a numeric vector as decimals. NaN and infinities have none: `ok` is false there.
class DecimalOperand {
 public:
  explicit DecimalOperand(const ColumnVector& vector) : vector_(vector) {}
  Result<BigDecimal> operator[](size_t row) const;

 private:
  const ColumnVector& vector_;
};

// The stored form of one flat value as text (see Operand).
std::string StoredText(const ColumnVector& vector, size_t flat_index);

}  // namespace trellis::eval
