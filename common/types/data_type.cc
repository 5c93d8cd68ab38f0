#include "common/types/data_type.h"

#include <array>
#include <utility>

namespace trellis {
namespace {

constexpr std::array<std::pair<DataType, std::string_view>, 14> kNames{{
    {DataType::kUnknown, "UNKNOWN"},
    {DataType::kInt, "INT"},
    {DataType::kLong, "LONG"},
    {DataType::kFloat, "FLOAT"},
    {DataType::kDouble, "DOUBLE"},
    {DataType::kBigDecimal, "BIG_DECIMAL"},
    {DataType::kBoolean, "BOOLEAN"},
    {DataType::kTimestamp, "TIMESTAMP"},
    {DataType::kString, "STRING"},
    {DataType::kJson, "JSON"},
    {DataType::kBytes, "BYTES"},
    {DataType::kUuid, "UUID"},
    {DataType::kMap, "MAP"},
    {DataType::kOpenStruct, "OPEN_STRUCT"},
}};

}  // namespace

Physical PhysicalOf(DataType type) {
  switch (type) {
    case DataType::kInt:
    case DataType::kBoolean:
      return Physical::kInt32;
    case DataType::kLong:
    case DataType::kTimestamp:
      return Physical::kInt64;
    case DataType::kFloat:
      return Physical::kFloat;
    case DataType::kDouble:
      return Physical::kDouble;
    default:
      return Physical::kBytes;
  }
}

std::string_view DataTypeName(DataType type) {
  for (const auto& [candidate, name] : kNames) {
    if (candidate == type) return name;
  }
  return "UNKNOWN";
}

std::optional<DataType> ParseDataType(std::string_view name) {
  for (const auto& [type, candidate] : kNames) {
    if (candidate == name && type != DataType::kUnknown) return type;
  }
  return std::nullopt;
}

bool IsNumeric(DataType type) { return type >= DataType::kInt && type <= DataType::kBigDecimal; }

bool IsText(DataType type) { return type == DataType::kString || type == DataType::kJson; }

bool IsMapLike(DataType type) { return type == DataType::kMap || type == DataType::kOpenStruct; }

std::string ValueTypeName(ValueType type) {
  std::string name(DataTypeName(type.type));
  if (type.multi_value) name += "_ARRAY";
  return name;
}

}  // namespace trellis
