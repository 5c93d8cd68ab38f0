#include "common/eval/operand.h"

#include <cmath>
#include <type_traits>

#include "common/types/java_text.h"

namespace trellis::eval {
namespace {

// Java's primitive conversions: integers wrap, floating numbers saturate and lose their fraction.
template <class To, class From>
To JavaConvert(From value) {
  if constexpr (std::is_same_v<From, std::string_view>) {
    const auto decimal = BigDecimal::FromBytes(value);
    return JavaConvert<To>(decimal.ok() ? decimal->ToDouble() : 0.0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, int32_t>) {
    return JavaDoubleToInt(value);
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, int64_t>) {
    return JavaDoubleToLong(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

std::string StoredText(const ColumnVector& vector, size_t flat_index) {
  return WithPhysical(vector.physical(), [&](auto tag) -> std::string {
    using T = decltype(tag);
    const T& value = vector.values<T>()[flat_index];
    if constexpr (std::is_same_v<T, double>) return JavaDoubleText(value);
    if constexpr (std::is_same_v<T, float>) return JavaFloatText(value);
    if constexpr (std::is_integral_v<T>) return std::to_string(value);
    if constexpr (std::is_same_v<T, std::string_view>) {
      if (IsText(vector.type())) return std::string(value);
      return ValueToText(Value::Bytes(vector.type(), std::string(value)));
    }
  });
}

template <class T>
Operand<T>::Operand(const ColumnVector& vector) : stride_(vector.is_constant() ? 0 : 1) {
  if (vector.type() == DataType::kUnknown) {
    converted_.assign(1, T{});
    stride_ = 0;
    data_ = converted_.data();
    return;
  }
  if constexpr (std::is_same_v<T, std::string_view>) {
    if (vector.physical() == Physical::kBytes && vector.type() != DataType::kBigDecimal &&
        vector.type() != DataType::kBytes && vector.type() != DataType::kUuid) {
      data_ = vector.values<T>().data();
      return;
    }
    texts_.reserve(vector.flat_size());
    for (size_t i = 0; i < vector.flat_size(); ++i) texts_.push_back(StoredText(vector, i));
    converted_.assign(texts_.begin(), texts_.end());
  } else {
    TRELLIS_CHECK(vector.physical() != Physical::kBytes || vector.type() == DataType::kBigDecimal);
    WithPhysical(vector.physical(), [&](auto tag) {
      using From = decltype(tag);
      const auto& from = vector.values<From>();
      if constexpr (std::is_same_v<From, T>) {
        data_ = from.data();
      } else {
        converted_.resize(from.size());
        for (size_t i = 0; i < from.size(); ++i) converted_[i] = JavaConvert<T>(from[i]);
      }
    });
  }
  if (data_ == nullptr) data_ = converted_.data();
}

template class Operand<int32_t>;
template class Operand<int64_t>;
template class Operand<float>;
template class Operand<double>;
template class Operand<std::string_view>;

Result<BigDecimal> DecimalOperand::operator[](size_t row) const {
  const size_t i = vector_.is_constant() ? 0 : row;
  if (vector_.type() == DataType::kUnknown) return BigDecimal();
  return WithPhysical(vector_.physical(), [&](auto tag) -> Result<BigDecimal> {
    using T = decltype(tag);
    const T& value = vector_.values<T>()[i];
    if constexpr (std::is_integral_v<T>) return BigDecimal::FromLong(value);
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) return Status::InvalidArgument("{} has no decimal", value);
      if constexpr (std::is_same_v<T, float>) return BigDecimal::FromText(JavaFloatText(value));
      return BigDecimal::FromDouble(value);
    }
    if constexpr (std::is_same_v<T, std::string_view>) {
      if (vector_.type() == DataType::kBigDecimal) return BigDecimal::FromBytes(value);
      return BigDecimal::FromText(value);
    }
  });
}

}  // namespace trellis::eval
