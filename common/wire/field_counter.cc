#include "common/wire/field_counter.h"

#include <google/protobuf/descriptor.h>

#include "common/wire/wire_format.h"

namespace trellis::wire {

FieldCounter::FieldCounter(const google::protobuf::Descriptor& root) : root_(Add(root)) {}

const FieldCounter::Type* FieldCounter::Add(const google::protobuf::Descriptor& descriptor) {
  const auto [entry, is_new] = types_.try_emplace(&descriptor);
  Type& type = entry->second;  // map nodes stay where they are
  if (!is_new) return &type;
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *descriptor.field(i);
    TRELLIS_CHECK(static_cast<uint32_t>(field.number()) < kNumbersMax);
    if (field.message_type() != nullptr)
      type.nested[static_cast<size_t>(field.number())] = Add(*field.message_type());
  }
  return &type;
}

// False when there are too many. Bytes that are malformed or nested too deeply are left to the
// parser, which stops at the same place.
bool FieldCounter::Count(ByteView message, const Type& type, int depth_left, size_t& fields_left) {
  FieldReader reader(message);
  while (!reader.at_end()) {
    if (!reader.NextTag()) return true;
    if (reader.type() != WireType::kBytes) {
      if (!reader.Skip()) return true;
      continue;
    }
    ByteView bytes;
    if (!reader.ReadBytes(bytes)) return true;
    if (fields_left-- == 0) return false;
    const Type* nested = reader.number() < kNumbersMax ? type.nested[reader.number()] : nullptr;
    if (nested == nullptr || bytes.empty() || depth_left == 0) continue;
    if (!Count(bytes, *nested, depth_left - 1, fields_left)) return false;
  }
  return true;
}

Status FieldCounter::Check(ByteView message, size_t fields_max, int depth_max,
                           std::string_view name) const {
  size_t fields_left = fields_max;
  if (Count(message, *root_, depth_max, fields_left)) return Status::Ok();
  return Status::ResourceExhausted("a {} of {} bytes has more than {} strings and messages in it",
                                   name, message.size(), fields_max);
}

}  // namespace trellis::wire
