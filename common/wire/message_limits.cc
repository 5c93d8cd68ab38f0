#include "common/wire/message_limits.h"

namespace trellis::wire {

Status CheckMessageSize(size_t size_bytes, std::string_view what) {
  if (size_bytes <= kMessageLimits.message_bytes_max) return Status::Ok();
  return Status::ResourceExhausted("{} is too large for one message: {} bytes, at most {}", what,
                                   size_bytes, kMessageLimits.message_bytes_max);
}

Status CheckListSize(uint64_t size_bytes, std::string_view what) {
  if (size_bytes <= kMessageLimits.segment_list_bytes_max) return Status::Ok();
  return Status::ResourceExhausted("{} is too large: {} bytes, at most {}", what, size_bytes,
                                   kMessageLimits.segment_list_bytes_max);
}

}  // namespace trellis::wire
