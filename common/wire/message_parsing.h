#pragma once

#include <string_view>

#include "common/base/bytes.h"
#include "common/wire/field_counter.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/message_limits.h"
#include "common/wire/wire_format.h"

// What reading a generated message takes, for the .cc files of this room.
namespace trellis::wire {

// Errors: ResourceExhausted over the limits of a message, InvalidArgument for bytes that are not
// one.
template <class Message>
Status ParseMessage(ByteView bytes, Message& message, std::string_view name) {
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(bytes.size(), name));
  static const FieldCounter counter(*Message::descriptor());
  TRELLIS_RETURN_IF_ERROR(
      counter.Check(bytes, kMessageLimits.message_fields_max, kWireDepthMax, name));
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Status::Ok();
  return Status::InvalidArgument("{} bytes are not a {} message", bytes.size(), name);
}

inline Status CheckProtocolVersion(uint32_t version) {
  if (version == kProtocolVersion) return Status::Ok();
  return {
      StatusCode::kFailedPrecondition,
      fmt::format("protocol version {} is not spoken here, only {}", version, kProtocolVersion)};
}

}  // namespace trellis::wire
