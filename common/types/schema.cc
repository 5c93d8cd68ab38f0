#include "common/types/schema.h"

#include <algorithm>

#include "common/base/nearest_name.h"
#include "common/types/text_order.h"

namespace trellis {

DataType FieldSpec::KeyType(std::string_view key) const {
  if (type != DataType::kOpenStruct) return map_value_type;
  for (const StructKey& known : struct_keys) {
    if (known.name == key) return known.type;
  }
  return DataType::kString;
}

Schema::Schema(std::string name, std::vector<FieldSpec> fields)
    : name_(std::move(name)), fields_(std::move(fields)) {
  std::sort(fields_.begin(), fields_.end(), [](const FieldSpec& a, const FieldSpec& b) {
    return CompareUtf16(a.name, b.name) < 0;
  });
}

const FieldSpec* Schema::Find(std::string_view name) const {
  const FieldSpec* folded = nullptr;
  for (const FieldSpec& field : fields_) {
    if (field.name == name) return &field;
    if (!folded && EqualsIgnoreCase(field.name, name)) folded = &field;
  }
  return folded;
}

std::vector<std::string> Schema::names() const {
  std::vector<std::string> names;
  for (const FieldSpec& field : fields_) names.push_back(field.name);
  return names;
}

}  // namespace trellis
