#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <roaring/roaring.hh>
#include <string>
#include <variant>
#include <vector>

#include "common/block/block.h"
#include "common/wire/shared_bytes.h"

// The messages of LeafService (proto/trellis/v1/leaf.proto) as plain structs.
// Decoders read untrusted bytes and answer InvalidArgument, or DataLoss for blocks, saying what is
// wrong.
namespace trellis::wire {

inline constexpr uint32_t kProtocolVersion = 1;

// Full method names for raw calls (rpc/call.h).
inline constexpr char kLeafExecuteMethod[] = "/trellis.v1.LeafService/Execute";
inline constexpr char kLeafCancelMethod[] = "/trellis.v1.LeafService/Cancel";

struct LeafRequest {
  uint32_t protocol_version = kProtocolVersion;
  std::string query_id;
  uint64_t attempt = 0;
  int64_t timeout_ms = 0;
  SharedBytes stage;  // EncodeLeafStage; one buffer for all servers of a query
  // A serialised SegmentLists (segment_list_codec.h); nullopt = no list at all, or a long one.
  std::optional<SharedBytes> segments;
  // A long list: its size, 0 = `segments` is everything; and its first bytes.
  uint64_t list_bytes = 0;
  SharedBytes list_chunk;
};
// The request in one message, or, when its list is over `list_chunk_bytes`, in several: the list's
// bytes are cut, not its names, so that how it is laid out is settled by the first. Each message in
// slices; stage and list are not copied. Errors: ResourceExhausted, naming size and limit, over
// kMessageLimits. REQUIRES: list_chunk_bytes > 0; list_bytes and list_chunk are not set.
Result<std::vector<Slices>> EncodeLeafRequest(const LeafRequest& request, size_t list_chunk_bytes);
// Reads the first message. Refuses protocol versions this build does not speak
// (FailedPrecondition). Stage and list are parts of `message`, not yet parsed.
Result<LeafRequest> DecodeLeafRequest(const SharedBytes& message);
// Reads a later message: the list's next bytes, never none.
Result<SharedBytes> DecodeListChunk(const SharedBytes& message);

struct BrokenSegment {
  std::string name;
  std::string reason;
  bool operator==(const BrokenSegment&) const = default;
};

// First message of an answer: which listed segments this server cannot serve. Once more before the
// first block, with `broken` alone, when bytes turn out to be damaged.
struct LeafAccepted {
  std::vector<std::string> missing;  // of a list of names
  std::vector<BrokenSegment> broken;
  Roaring missing_ordinals;  // of a list by ordinals
  // The list speaks of an inventory that the server does not have: nothing runs, done says
  // FailedPrecondition, and the sender should name its segments instead.
  bool stale = false;
  uint64_t incarnation = 0;  // of the table's inventory on the server
  uint64_t epoch = 0;
  bool operator==(const LeafAccepted&) const = default;
};

struct LeafStatistics {
  int64_t segments_queried = 0;
  int64_t segments_processed = 0;
  int64_t segments_matched = 0;
  int64_t segments_pruned = 0;
  int64_t segments_pruned_by_value = 0;
  int64_t segments_pruned_by_limit = 0;
  int64_t documents_scanned = 0;
  int64_t documents_total = 0;
  int64_t entries_scanned_in_filter = 0;
  int64_t entries_scanned_post_filter = 0;
  bool groups_limit_reached = false;
  int64_t execute_us = 0;
  int64_t decode_us = 0;      // of the segment list
  std::string list_encoding;  // SegmentListEncodingName; "mixed" for a sum over different ones
  // Sums counters and times; limits reached by either are reached by the sum.
  LeafStatistics& operator+=(const LeafStatistics& other);
  bool operator==(const LeafStatistics&) const = default;
};

// Last message: the rest of the list is covered (OK), or why not.
struct LeafDone {
  Status status;
  LeafStatistics statistics;
};

using LeafMessage = std::variant<LeafAccepted, Block, LeafDone>;
std::string EncodeLeafAccepted(const LeafAccepted& accepted);
std::string EncodeLeafDone(const LeafDone& done);  // its message as UTF-8, cut at 64 KiB
Result<Slices> EncodeLeafBlock(std::shared_ptr<const Block> block);  // see block_codec.h
Result<LeafMessage> DecodeLeafMessage(const SharedBytes& message);

std::string EncodeCancelRequest(const std::string& query_id);
Result<std::string> DecodeCancelRequest(ByteView message);
std::string EncodeCancelResponse(bool found);
Result<bool> DecodeCancelResponse(ByteView message);

}  // namespace trellis::wire
