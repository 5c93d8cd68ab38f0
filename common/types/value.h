#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/status.h"
#include "common/types/data_type.h"

namespace trellis {

// One value with its type: literals, dictionary look-ups, parameters. Owns its bytes. Scans use
// column vectors instead. A null has no payload but keeps its type.
class Value {
 public:
  Value() = default;  // a NULL of unknown type
  static Value Null(DataType type = DataType::kUnknown) { return Value(type, std::monostate{}); }
  static Value Int(int32_t v) { return Value(DataType::kInt, v); }
  static Value Long(int64_t v) { return Value(DataType::kLong, v); }
  static Value Float(float v) { return Value(DataType::kFloat, v); }
  static Value Double(double v) { return Value(DataType::kDouble, v); }
  static Value Boolean(bool v) { return Value(DataType::kBoolean, static_cast<int32_t>(v)); }
  static Value Timestamp(int64_t epoch_ms) { return Value(DataType::kTimestamp, epoch_ms); }
  static Value String(std::string v) { return Value(DataType::kString, std::move(v)); }
  // `payload` in the physical form of `type` (data_type.h), e.g. BIG_DECIMAL's stored bytes.
  static Value Bytes(DataType type, std::string payload) { return Value(type, std::move(payload)); }
  static Value Array(DataType element, std::vector<Value> elements) {
    return Value(element, std::move(elements));
  }

  DataType type() const { return type_; }
  ValueType value_type() const { return {type_, is_array()}; }
  bool is_null() const { return std::holds_alternative<std::monostate>(payload_); }
  bool is_array() const { return std::holds_alternative<std::vector<Value>>(payload_); }

  // REQUIRES: the payload has that physical form.
  int32_t int32() const { return std::get<int32_t>(payload_); }
  int64_t int64() const { return std::get<int64_t>(payload_); }
  float float32() const { return std::get<float>(payload_); }
  double float64() const { return std::get<double>(payload_); }
  const std::string& bytes() const { return std::get<std::string>(payload_); }
  const std::vector<Value>& elements() const { return std::get<std::vector<Value>>(payload_); }

  // A numeric, BOOLEAN or TIMESTAMP value as a double; BIG_DECIMAL to the nearest. 0 for a null.
  // REQUIRES: the type is one of these.
  double AsDouble() const;
  // An INT, LONG, BOOLEAN or TIMESTAMP value. REQUIRES: the type is one of these.
  int64_t AsLong() const;

  bool operator==(const Value&) const = default;

 private:
  using Payload = std::variant<std::monostate, int32_t, int64_t, float, double, std::string,
                               std::vector<Value>>;
  Value(DataType type, Payload payload) : type_(type), payload_(std::move(payload)) {}
  DataType type_ = DataType::kUnknown;
  Payload payload_;
};

// The text Pinot gives a value where it converts it to STRING (pinot-sql.md 9.2): Java digits for
// floating numbers, `true`/`false`, `yyyy-MM-dd HH:mm:ss.f` for TIMESTAMP, lower-case hex for
// BYTES, plain decimals for BIG_DECIMAL. A null gives "null".
std::string ValueToText(const Value& value);

// Parses `text` as a literal compared with a column of `type` (pinot-sql.md 2.2): Java integer
// parse, FLOAT as float, BOOLEAN true/1 else false, TIMESTAMP's text forms, BYTES as hex, UUID in
// text form. Errors: InvalidArgument with Pinot's code 700.
Result<Value> ParseValue(std::string_view text, DataType type);

// The value Pinot stores for a null cell of a column (pinot-sql.md 3.1).
Value DefaultNullValue(DataType type, bool is_metric);

// Orders two non-null values of one type as Pinot orders them: numbers by value (NaN above all,
// -0.0 below 0.0), text in UTF-16 code units, bytes unsigned. Returns <0, 0 or >0. REQUIRES: equal
// types, no arrays.
int CompareValues(const Value& a, const Value& b);

}  // namespace trellis
