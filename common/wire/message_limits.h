#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/status.h"

namespace trellis::wire {

// What a message may cost its reader. One object for both ends: the sender checks before it sends,
// the reader before it allocates.
struct MessageLimits {
  size_t message_bytes_max = size_t{64} << 20;  // any gRPC message, headers included
  size_t message_fields_max = size_t{4} << 20;  // strings and nested messages of one, plans apart
  size_t stream_chunk_bytes = size_t{1}
                              << 20;  // above this, senders cut answers into several messages
  size_t stage_bytes_max = size_t{48} << 20;  // a serialised leaf stage
  int plan_depth_max = 256;                   // nesting of filters and of expressions, each
  size_t plan_nodes_max = 500'000;            // filters, expressions and values of a stage together
  size_t plan_fields_max = 2'000'000;         // their strings and nested messages on the wire
  size_t query_id_bytes_max = 256;
  size_t segment_groups_max = 4'096;                  // tables of one segment list
  size_t segment_names_max = size_t{4} << 20;         // names of one segment list
  size_t segment_name_bytes_max = 1'024;              // one segment's name
  size_t segment_list_bytes_max = size_t{256} << 20;  // a list in all its chunks; its names' text
  size_t list_chunk_bytes = size_t{1} << 20;  // a longer list is sent in pieces of this size
  size_t inventory_chunk_segments =
      8'192;  // segments that a sender puts into one message of a watch
  size_t inventory_message_segments_max = 131'072;  // and that a reader takes from one
  uint32_t ordinals_max = uint32_t{1} << 28;  // ordinals an incarnation of an inventory gives out
  uint64_t block_rows_max = uint64_t{16} << 20;
  uint64_t block_columns_max = 10'000;
};
inline constexpr MessageLimits kMessageLimits;

// ResourceExhausted, naming `what`, size and limit, when `size_bytes` is more than one message may
// have.
Status CheckMessageSize(size_t size_bytes, std::string_view what);
// The same for a whole segment list, which may travel in several messages.
Status CheckListSize(uint64_t size_bytes, std::string_view what);

}  // namespace trellis::wire
