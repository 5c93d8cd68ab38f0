#include "common/table_config/stored_text.h"

#include "common/base/nearest_name.h"

namespace trellis::table_config {

Result<Value> ParseStoredText(std::string_view text, DataType type) {
  const auto refuse = [&] {
    return Status::InvalidArgument("'{}' is not a value of type {}", text, DataTypeName(type));
  };
  switch (type) {
    case DataType::kBoolean:
      if (text == "1" || EqualsIgnoreCase(text, "true")) return Value::Boolean(true);
      if (text == "0" || EqualsIgnoreCase(text, "false")) return Value::Boolean(false);
      return refuse();
    case DataType::kMap:
    case DataType::kOpenStruct:
      if (text == "{}") return DefaultNullValue(type, false);
      return refuse();
    default: {
      auto value = ParseValue(text, type);
      if (!value.ok()) return refuse();
      return value;
    }
  }
}

}  // namespace trellis::table_config
