#include "common/wire/message_limits.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::wire {

TEST_CASE("sizes over their limit are refused with both numbers") {
  CHECK(CheckMessageSize(kMessageLimits.message_bytes_max, "x").ok());
  CHECK(CheckListSize(kMessageLimits.segment_list_bytes_max, "x").ok());
  const Status message = CheckMessageSize(kMessageLimits.message_bytes_max + 1, "a thing");
  const Status list = CheckListSize(~uint64_t{0}, "a list");
  CHECK(message.code() == StatusCode::kResourceExhausted);
  CHECK(list.code() == StatusCode::kResourceExhausted);
  CHECK(message.message().find("67108865 bytes, at most 67108864") != std::string::npos);
  CHECK(list.message().find("18446744073709551615 bytes, at most 268435456") != std::string::npos);
}

TEST_CASE("what fits one limit fits those around it") {
  // A stage of the largest size leaves room for a piece of a list and the request's other fields.
  CHECK(kMessageLimits.stage_bytes_max + kMessageLimits.list_chunk_bytes + 4'096 <=
        kMessageLimits.message_bytes_max);
  CHECK(kMessageLimits.inventory_chunk_segments <= kMessageLimits.inventory_message_segments_max);
  // A watch's message of the longest names, unless they share a prefix, is within the message
  // limit.
  CHECK(kMessageLimits.inventory_chunk_segments * kMessageLimits.segment_name_bytes_max <
        kMessageLimits.message_bytes_max / 4);
}

}  // namespace trellis::wire
