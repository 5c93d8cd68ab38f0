#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/block/block.h"
#include "common/wire/shared_bytes.h"

// The messages of LeafService and InventoryService (proto/trellis/v1/leaf.proto) as plain structs.
// Decoders read untrusted bytes and answer InvalidArgument, or DataLoss for blocks, saying what is
// wrong.
namespace trellis::wire {

inline constexpr uint32_t kProtocolVersion = 1;

// Full method names for raw calls (rpc/call.h).
inline constexpr char kLeafExecuteMethod[] = "/trellis.v1.LeafService/Execute";
inline constexpr char kLeafCancelMethod[] = "/trellis.v1.LeafService/Cancel";
inline constexpr char kInventoryWatchMethod[] = "/trellis.v1.InventoryService/Watch";

struct LeafRequest {
  uint32_t protocol_version = kProtocolVersion;
  std::string query_id;
  uint64_t attempt = 0;
  int64_t timeout_ms = 0;
  SharedBytes stage;                    // EncodeLeafStage; one buffer for all servers of a query
  std::optional<SharedBytes> segments;  // SegmentListCodec::Encode; nullopt = no list at all
};
// The message in slices; stage and list are not copied. Errors: ResourceExhausted over the message
// limit.
Result<Slices> EncodeLeafRequest(const LeafRequest& request);
// Refuses protocol versions this build does not speak (FailedPrecondition). Stage and list are
// parts of `message`, not yet parsed.
Result<LeafRequest> DecodeLeafRequest(const SharedBytes& message);

struct BrokenSegment {
  std::string name;
  std::string reason;
  bool operator==(const BrokenSegment&) const = default;
};

// First message of an answer: which listed segments this server cannot serve.
struct LeafAccepted {
  std::vector<std::string> missing;
  std::vector<BrokenSegment> broken;
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

std::string EncodeWatchRequest();
Status DecodeWatchRequest(ByteView message);  // FailedPrecondition for an unknown protocol version

struct SegmentEntry {
  std::string name;
  uint64_t crc = 0;
  int64_t rows = 0;
  std::optional<int64_t> start_time_ms;
  std::optional<int64_t> end_time_ms;
  std::string broken;  // why it cannot be read; empty = it can
  bool operator==(const SegmentEntry&) const = default;
};
struct TableInventory {
  std::string table;        // with type
  std::string schema_json;  // Pinot's schema JSON
  std::string config_json;  // Pinot's table config JSON; empty = none
  std::vector<SegmentEntry> segments;
  std::string refused;  // why queries on this table are refused; empty = they are not
  bool operator==(const TableInventory&) const = default;
};
struct Inventory {
  uint32_t protocol_version = kProtocolVersion;
  uint64_t incarnation = 0;
  uint64_t epoch = 0;
  std::string build_version;
  std::vector<std::string> segment_list_encodings;  // best first
  std::vector<TableInventory> tables;
  std::vector<std::string> features;
  bool operator==(const Inventory&) const = default;
};
Result<std::string> EncodeInventory(
    const Inventory& inventory);  // ResourceExhausted over the message limit
Result<Inventory> DecodeInventory(ByteView message);

}  // namespace trellis::wire
