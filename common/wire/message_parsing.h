#pragma once

#include <string_view>

#include "common/base/bytes.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/message_limits.h"

// What reading a generated message takes, for the .cc files of this room.
namespace trellis::wire {

// Errors: ResourceExhausted over the message limit, InvalidArgument for bytes that are not one.
template <class Message>
Status ParseMessage(ByteView bytes, Message& message, std::string_view name) {
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(bytes.size(), name));
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
