#include "common/aggregate/parameter.h"

#include <algorithm>

#include "common/base/nearest_name.h"
#include "common/types/java_text.h"

namespace trellis::aggregate {
namespace {

Status Unsuitable(const AggregateSpec& spec, size_t at, std::string_view wanted) {
  const Value& value = spec.parameters[at];
  return Status::Query(PinotCode::kQueryValidation, "parameter {} of {} must be {}, got {}", at + 1,
                       spec.function, wanted, value.is_array() ? "an array" : ValueToText(value));
}

}  // namespace

Result<double> NumberParameter(const AggregateSpec& spec, size_t at) {
  const Value& value = spec.parameters[at];
  if (!value.is_null() && !value.is_array()) {
    if (IsNumeric(value.type())) return value.AsDouble();
    if (IsText(value.type())) {
      if (const auto number = ParseJavaDouble(value.bytes())) return *number;
    }
  }
  return Unsuitable(spec, at, "a number");
}

Result<int64_t> IntegerParameter(const AggregateSpec& spec, size_t at) {
  const Value& value = spec.parameters[at];
  if (!value.is_null() && !value.is_array()) {
    if (value.type() == DataType::kInt || value.type() == DataType::kLong) return value.AsLong();
    if (IsText(value.type())) {
      if (const auto number = ParseJavaLong(value.bytes())) return *number;
    }
  }
  return Unsuitable(spec, at, "an integer");
}

Result<bool> BooleanParameter(const AggregateSpec& spec, size_t at) {
  const Value& value = spec.parameters[at];
  if (!value.is_null() && !value.is_array()) {
    if (value.type() == DataType::kBoolean) return value.int32() != 0;
    // Java's Boolean.parseBoolean: everything but "true" is false.
    if (IsText(value.type())) return EqualsIgnoreCase(value.bytes(), "true");
  }
  return Unsuitable(spec, at, "true or false");
}

Result<DataType> TypeParameter(const AggregateSpec& spec, size_t at) {
  const Value& value = spec.parameters[at];
  if (!value.is_null() && !value.is_array() && IsText(value.type())) {
    std::string name = value.bytes();
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    if (const auto type = ParseDataType(name)) return *type;
  }
  return Unsuitable(spec, at, "a type's name");
}

}  // namespace trellis::aggregate
