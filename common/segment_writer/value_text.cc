#include "common/segment_writer/value_text.h"

#include "common/types/big_decimal.h"
#include "common/types/java_text.h"
#include "common/types/value_payload.h"

namespace trellis::segment_writer {
namespace {

template <class T>
std::string TextOf(DataType type, const T& value) {
  if constexpr (std::is_same_v<T, float>) {
    return JavaFloatText(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return JavaDoubleText(value);
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    if (type == DataType::kBytes || type == DataType::kUuid) return HexText(value);
    if (type == DataType::kBigDecimal) return JavaDecimalText(value);
    if (IsMapLike(type)) return "{}";
    return std::string(value);
  } else {
    return std::to_string(value);
  }
}

}  // namespace

std::string JavaDecimalText(std::string_view stored) {
  const auto decimal = BigDecimal::FromBytes(stored);
  if (!decimal.ok()) return "0";
  const int scale = decimal->scale();
  std::string digits = decimal->unscaled().str();
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  const int exponent = static_cast<int>(digits.size()) - 1 - scale;
  std::string text = negative ? "-" : "";
  if (scale == 0) return text + digits;
  if (scale > 0 && exponent >= -6) {
    const auto point = static_cast<int>(digits.size()) - scale;
    if (point > 0) return text + digits.insert(static_cast<size_t>(point), ".");
    return text + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  }
  text += digits[0];
  if (digits.size() > 1) text += "." + digits.substr(1);
  if (exponent != 0) text += (exponent > 0 ? "E+" : "E") + std::to_string(exponent);
  return text;
}

std::string StoredValueText(const Value& value) {
  return WithPhysical(PhysicalOf(value.type()),
                      [&]<class T>(T) { return TextOf<T>(value.type(), PayloadAs<T>(value)); });
}

std::string StoredValueText(const ColumnVector& values, size_t index) {
  return WithPhysical(values.physical(), [&]<class T>(T) {
    return TextOf<T>(values.type(), values.values<T>()[index]);
  });
}

}  // namespace trellis::segment_writer
