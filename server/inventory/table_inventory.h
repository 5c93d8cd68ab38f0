#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/segment/segment.h"
#include "common/types/schema.h"
#include "common/wire/inventory_messages.h"
#include "common/wire/message_limits.h"
#include "common/wire/segment_list_codec.h"

namespace trellis::server {

// A longer name fits no segment list.
inline constexpr size_t kSegmentNameBytesMax = wire::kMessageLimits.segment_name_bytes_max;

// A segment that could not be opened: skipped, listed, and named when a query needs it.
struct BrokenSegment {
  std::string name;
  std::string reason;
};

// What a table is besides its segments. Immutable.
struct TableInfo {
  std::string name;  // with type: baseballStats_OFFLINE
  std::shared_ptr<const Schema> schema;
  std::string schema_json;
  std::string config_json;  // empty = no tableConfig.json
  std::string refused;      // why queries are refused (upsert, ...); empty = they are not
  std::vector<BrokenSegment> broken;
};

// What brokers are told of one segment. Immutable.
struct SegmentFacts {
  struct Zone {
    std::string_view column;  // lives as long as the process (interned)
    int64_t min = 0;          // types/order_key.h
    int64_t max = 0;
  };
  struct Partition {
    std::string_view column;    // interned
    std::string_view function;  // interned
    uint32_t count = 0;
    uint32_t partition = 0;
  };
  std::string name;
  uint64_t crc = 0;
  int64_t rows = 0;
  std::optional<int64_t> start_time_ms;
  std::optional<int64_t> end_time_ms;
  std::vector<Zone> zones;
  std::vector<Partition> partitions;
};

// One segment of an inventory. `segment` is null where a server announces segments without files
// (tests at scale): such a segment cannot be queried.
struct InventorySegment {
  SegmentFacts facts;
  std::shared_ptr<const segment::Segment> segment;
};

class InventorySnapshot;

// The segments of one stage, chosen from one snapshot. `pin` is the one reference that keeps all of
// them open.
struct SegmentSelection {
  std::shared_ptr<const InventorySnapshot> pin;
  // Owned by `pin` when everything is chosen (no copy), else by `chosen`, which moves with this.
  std::span<const segment::Segment* const> segments() const { return view; }
  std::vector<const segment::Segment*> chosen;
  std::span<const segment::Segment* const> view;
  int64_t documents_total = 0;
};

// A table's inventory at one epoch. Immutable; shared by queries.
class InventorySnapshot {
 public:
  virtual ~InventorySnapshot() = default;
  virtual const TableInfo& info() const = 0;
  virtual uint64_t incarnation() const = 0;
  virtual uint64_t epoch() const = 0;
  virtual size_t size() const = 0;              // segments alive
  virtual const Roaring& alive() const = 0;     // their ordinals
  virtual int64_t documents_total() const = 0;  // rows of all of them
  // The segment of an ordinal; null when it is not alive.
  virtual const InventorySegment* Find(uint32_t ordinal) const = 0;
  // Every segment alive, in ordinal order, but those without files; made on first use, in O(1)
  // after that.
  virtual std::span<const segment::Segment* const> segments() const = 0;
};

// What a list resolves to on this server.
struct Resolution {
  SegmentSelection selection;
  std::vector<std::string> missing;   // of names
  std::vector<BrokenSegment> broken;  // of names
  Roaring missing_ordinals;           // of ordinals
  bool stale = false;                 // the list's inventory is not to be had here
};

// One table's segments on this server, as they come and go. Thread-safe. Ordinals count up and are
// never re-used within an incarnation; each change is one epoch. The last snapshots are kept for a
// while, so that a list of an earlier epoch finds exactly the segments it means, dropped ones
// included. When fewer than half of the ordinals given out are alive (and enough were given out to
// matter), the inventory is numbered anew under a new incarnation.
class TableInventory {
 public:
  struct Options {
    size_t snapshots_kept_max = 64;
    std::chrono::milliseconds snapshots_kept_ms{10'000};
    size_t deltas_kept_max = 1'024;      // epochs a watcher may lag and still get a delta
    size_t rebase_ordinals_min = 1'024;  // fewer ordinals than this are never numbered anew
  };
  // Incarnations are random, so that those of two lives of a process differ.
  explicit TableInventory(TableInfo info, const Options& options);
  ~TableInventory();

  // One epoch: drops and adds by name; a name that is both is replaced (a new ordinal). Names to
  // drop that are not there are stepped over; a name to add that is there and not dropped is
  // replaced too. `info` changes the description. Returns the new snapshot.
  std::shared_ptr<const InventorySnapshot> Apply(std::vector<InventorySegment> add,
                                                 std::span<const std::string> drop,
                                                 std::optional<TableInfo> info = std::nullopt);
  std::shared_ptr<const InventorySnapshot> current() const;
  // Lets go of the snapshots whose time is over. Apply does so too: for times when nothing changes.
  void ForgetOld();

  // Segments without files are missing, of either list.
  Resolution ResolveKnown(const wire::KnownSegments& list) const;
  // A name dropped a moment ago is still found, in the youngest kept snapshot that has it. Errors:
  // InvalidArgument for a name that comes twice, missing or not: it would be counted twice.
  Result<Resolution> ResolveNames(std::span<const std::string_view> names) const;

  // What a watcher that has (incarnation, epoch) must be told to have the newest: nothing, a delta,
  // or, where that is not possible, everything; in messages of at most `chunk_segments` each.
  // Incarnation 0 = it has nothing.
  std::vector<wire::TableUpdate> UpdatesSince(uint64_t incarnation, uint64_t epoch,
                                              size_t chunk_segments) const;
  // Bytes that the inventory itself takes for its segments, open files left out.
  size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trellis::server
