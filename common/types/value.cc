#include "common/types/value.h"

#include <bit>
#include <cmath>
#include <limits>

#include "common/types/big_decimal.h"
#include "common/types/java_text.h"
#include "common/types/timestamp_text.h"
#include "common/types/value_order.h"

namespace trellis {
namespace {

std::string UuidText(std::string_view bytes) {
  std::string hex = HexText(bytes);
  if (bytes.size() != 16) return hex;
  for (const size_t at : {20, 16, 12, 8}) hex.insert(at, "-");
  return hex;
}

Status Unparsable(std::string_view text, DataType type) {
  return Status::Query(PinotCode::kQueryValidation, "Cannot convert value: '{}' to type: {}", text,
                       DataTypeName(type));
}

}  // namespace

double Value::AsDouble() const {
  switch (PhysicalOf(type_)) {
    case Physical::kInt32:
      return is_null() ? 0 : int32();
    case Physical::kInt64:
      return is_null() ? 0 : static_cast<double>(int64());
    case Physical::kFloat:
      return is_null() ? 0 : static_cast<double>(float32());
    case Physical::kDouble:
      return is_null() ? 0 : float64();
    case Physical::kBytes:
      break;
  }
  if (is_null()) return 0;
  TRELLIS_CHECK(type_ == DataType::kBigDecimal);
  const auto decimal = BigDecimal::FromBytes(bytes());
  return decimal.ok() ? decimal->ToDouble() : 0;
}

int64_t Value::AsLong() const {
  if (is_null()) return 0;
  return PhysicalOf(type_) == Physical::kInt32 ? int32() : int64();
}

std::string ValueToText(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_array()) {
    std::string text = "[";
    for (const Value& element : value.elements()) {
      if (text.size() > 1) text += ",";
      text += ValueToText(element);
    }
    return text + "]";
  }
  switch (value.type()) {
    case DataType::kInt:
      return std::to_string(value.int32());
    case DataType::kLong:
      return std::to_string(value.int64());
    case DataType::kFloat:
      return JavaFloatText(value.float32());
    case DataType::kDouble:
      return JavaDoubleText(value.float64());
    case DataType::kBoolean:
      return value.int32() ? "true" : "false";
    case DataType::kTimestamp:
      return TimestampText(value.int64());
    case DataType::kBigDecimal: {
      const auto decimal = BigDecimal::FromBytes(value.bytes());
      return decimal.ok() ? decimal->ToPlainText() : "NaN";
    }
    case DataType::kBytes:
      return HexText(value.bytes());
    case DataType::kUuid:
      return UuidText(value.bytes());
    default:
      return value.bytes();
  }
}

Result<Value> ParseValue(std::string_view text, DataType type) {
  switch (type) {
    case DataType::kInt:
      if (const auto v = ParseJavaInt(text)) return Value::Int(*v);
      return Unparsable(text, type);
    case DataType::kLong:
      if (const auto v = ParseJavaLong(text)) return Value::Long(*v);
      return Unparsable(text, type);
    case DataType::kFloat:
      if (const auto v = ParseJavaFloat(text)) return Value::Float(*v);
      return Unparsable(text, type);
    case DataType::kDouble:
      if (const auto v = ParseJavaDouble(text)) return Value::Double(*v);
      return Unparsable(text, type);
    case DataType::kBoolean: {
      std::string lower(text);
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      return Value::Boolean(lower == "true" || text == "1");
    }
    case DataType::kTimestamp:
      if (const auto v = ParseTimestampText(text)) return Value::Timestamp(*v);
      return Unparsable(text, type);
    case DataType::kBigDecimal: {
      auto decimal = BigDecimal::FromText(text);
      if (!decimal.ok()) return Unparsable(text, type);
      return Value::Bytes(type, decimal->ToBytes());
    }
    case DataType::kBytes:
      if (auto v = ParseHex(text)) return Value::Bytes(type, std::move(*v));
      return Unparsable(text, type);
    case DataType::kUuid: {
      std::string hex;
      for (const char c : text) {
        if (c != '-') hex += c;
      }
      if (auto v = ParseHex(hex); v && v->size() == 16) return Value::Bytes(type, std::move(*v));
      return Unparsable(text, type);
    }
    case DataType::kString:
    case DataType::kJson:
      return Value::Bytes(type, std::string(text));
    default:
      return Unparsable(text, type);
  }
}

Value DefaultNullValue(DataType type, bool is_metric) {
  switch (type) {
    case DataType::kInt:
      return Value::Int(is_metric ? 0 : std::numeric_limits<int32_t>::min());
    case DataType::kLong:
      return Value::Long(is_metric ? 0 : std::numeric_limits<int64_t>::min());
    case DataType::kFloat:
      return Value::Float(is_metric ? 0 : -std::numeric_limits<float>::infinity());
    case DataType::kDouble:
      return Value::Double(is_metric ? 0 : -std::numeric_limits<double>::infinity());
    case DataType::kBoolean:
      return Value::Boolean(false);
    case DataType::kTimestamp:
      return Value::Timestamp(0);
    case DataType::kBigDecimal:
      return Value::Bytes(type, BigDecimal().ToBytes());
    case DataType::kString:
    case DataType::kJson:
      return Value::Bytes(type, "null");
    case DataType::kUuid:
      return Value::Bytes(type, std::string(16, '\0'));
    case DataType::kMap:
    case DataType::kOpenStruct:
      return Value::Bytes(type, std::string(4, '\0'));
    default:
      return Value::Bytes(type, "");
  }
}

int CompareValues(const Value& a, const Value& b) {
  TRELLIS_CHECK(a.type() == b.type() && !a.is_null() && !b.is_null());
  switch (a.type()) {
    case DataType::kInt:
    case DataType::kBoolean:
      return CompareNumbers(a.int32(), b.int32());
    case DataType::kLong:
    case DataType::kTimestamp:
      return CompareNumbers(a.int64(), b.int64());
    case DataType::kFloat:
      return CompareNumbers(a.float32(), b.float32());
    case DataType::kDouble:
      return CompareNumbers(a.float64(), b.float64());
    default:
      return CompareStoredBytes(a.type(), a.bytes(), b.bytes());
  }
}

}  // namespace trellis
