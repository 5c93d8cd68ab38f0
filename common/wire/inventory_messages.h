#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <roaring/roaring.hh>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"

// The messages of InventoryService (proto/trellis/v1/leaf.proto) as plain structs. Decoders read
// untrusted bytes and answer InvalidArgument saying what is wrong.
namespace trellis::wire {

inline constexpr char kInventoryWatchMethod[] = "/trellis.v1.InventoryService/Watch";

// Features that servers and watchers announce.
inline constexpr char kListChunksFeature[] = "list_chunks";            // reads long lists in pieces
inline constexpr char kInventoryDeltasFeature[] = "inventory_deltas";  // TableUpdate

struct WatchRequest {
  std::vector<std::string> features;
};
std::string EncodeWatchRequest(const WatchRequest& request);
// FailedPrecondition for an unknown protocol version.
Result<WatchRequest> DecodeWatchRequest(ByteView message);

// A segment in full: how inventories travel to watchers without "inventory_deltas".
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

// Smallest and largest order key (types/order_key.h) of a column, a segment each.
struct ZoneColumn {
  std::string column;
  std::vector<uint8_t> present;  // 0 or 1; min and max are 0 where it is 0
  std::vector<int64_t> min;
  std::vector<int64_t> max;
  bool operator==(const ZoneColumn&) const = default;
};
struct PartitionColumn {
  static constexpr uint32_t kUnknown = UINT32_MAX;  // no partition is known, or more than one
  std::string column;
  std::string function;  // Pinot's: "Murmur", "Modulo", ...
  uint32_t count = 0;    // partitions in all
  std::vector<uint32_t> partition;
  bool operator==(const PartitionColumn&) const = default;
};
// Segments column by column; every column has size() rows, in the order of the ordinals.
struct SegmentBatch {
  std::vector<uint32_t> ordinals;  // ascending
  std::vector<std::string_view> names;
  std::shared_ptr<const void> names_owner;  // keeps decoded names alive; not compared
  std::vector<uint64_t> crcs;
  std::vector<int64_t> rows;
  ZoneColumn time_ms;  // start and end time, epoch milliseconds; column is empty; may have no rows
  std::vector<ZoneColumn> zones;
  std::vector<PartitionColumn> partitions;
  size_t size() const { return ordinals.size(); }
};
struct TableDescription {
  std::string schema_json;
  std::string config_json;
  std::string refused;
  std::vector<SegmentEntry> broken;  // segments that cannot be read have no ordinal
  bool operator==(const TableDescription&) const = default;
};
// What became of one table, in one message or several (leaf.proto).
struct TableUpdate {
  std::string table;
  uint64_t incarnation = 0;
  uint64_t epoch = 0;
  uint64_t base_epoch = 0;  // 0 = full
  bool more = false;
  bool gone = false;
  std::optional<TableDescription> description;
  SegmentBatch added;
  Roaring dropped;
};

// One message of a watch.
struct Inventory {
  uint32_t protocol_version = 1;
  uint64_t incarnation = 0;  // of the process
  uint64_t epoch = 0;
  std::string build_version;
  std::vector<std::string> segment_list_encodings;  // best first
  std::vector<TableInventory> tables;
  std::vector<std::string> features;
  std::vector<TableUpdate> updates;
  bool complete = false;
};
// Errors: ResourceExhausted over the message limit; senders cut updates by
// kMessageLimits.inventory_chunk_segments.
Result<std::string> EncodeInventory(const Inventory& inventory);
// Columns of a batch that do not have as many rows as ordinals are refused.
Result<Inventory> DecodeInventory(ByteView message);

}  // namespace trellis::wire
