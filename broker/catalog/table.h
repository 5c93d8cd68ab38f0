#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <roaring/roaring.hh>
#include <string>
#include <string_view>
#include <vector>

#include "broker/catalog/prune_index.h"
#include "common/segment_names/name_store.h"
#include "common/types/schema.h"

namespace trellis::broker {

// The segments of one table that any server has announced, numbered 0..size()-1 in natural order of
// their names. A number ("segment id") means something within this object only. Immutable.
class TableSegments {
 public:
  virtual ~TableSegments() = default;
  virtual size_t size() const = 0;
  virtual std::string_view name(uint32_t id) const = 0;
  virtual int64_t rows(uint32_t id) const = 0;
  virtual std::optional<int64_t> start_time_ms(uint32_t id) const = 0;
  virtual std::optional<int64_t> end_time_ms(uint32_t id) const = 0;
  virtual int64_t rows_total() const = 0;
  virtual int64_t RowsOf(const Roaring& ids) const = 0;
  // The id of a name; built on first use (a hash map over all names), then O(1).
  virtual std::optional<uint32_t> Find(std::string_view name) const = 0;
  // The id here of the segment that is `id` in `other`, another state of the same table. Between
  // snapshots of one catalog O(log size()), without the map that Find builds.
  virtual std::optional<uint32_t> FindOf(const TableSegments& other, uint32_t id) const {
    return &other == this ? id : Find(other.name(id));
  }
  virtual const PruneIndex& prune_index() const = 0;
  // Names and their order, for segment_names::Pack: id -> index in `names()`.
  virtual const segment_names::NameView& names() const = 0;
  virtual const std::vector<uint32_t>& name_indexes() const = 0;
};

// What one server holds of a table. Immutable; alive or not is CatalogSnapshot::servers' to say.
struct ServerPart {
  uint32_t server = 0;    // position in CatalogSnapshot::servers
  bool numbered = false;  // it has announced ordinals
  uint64_t incarnation = 0;
  uint64_t epoch = 0;
  std::vector<uint32_t> ids;       // ascending; those it can read
  std::vector<uint32_t> ordinals;  // beside ids; empty unless numbered
  Roaring held;                    // ids again
};

// Encoded segment lists of a share, by wire::SegmentListEncoding. Filled by the dispatcher on first
// use, so that a list is encoded once a snapshot.
struct ListCache {
  std::mutex mutex;
  std::array<std::shared_ptr<const std::string>, 4> bytes;  // guarded by mutex
};

// The segments one server answers for in one assignment.
struct ServerShare {
  std::shared_ptr<const ServerPart> part;
  std::shared_ptr<const Roaring> ids;  // never null; shared with routes, which must not copy it
  uint64_t count = 0;
  bool everything = false;  // all that the server holds of the table
  std::shared_ptr<ListCache> lists;
};

// One way to cover a table: every segment that can be served, once.
struct Assignment {
  std::vector<ServerShare> shares;
};

// A segment that a server has announced as broken.
struct BrokenReport {
  std::string name;
  std::string reason;
};

// A table of one type. Immutable.
struct Table {
  std::string name;      // with type: t_OFFLINE
  std::string raw_name;  // t
  std::string type;      // OFFLINE, REALTIME
  std::shared_ptr<const Schema> schema;
  std::string schema_json;
  std::string config_json;
  std::string refused;  // why queries on it are refused; empty = they are not
  std::shared_ptr<const TableSegments> segments;
  std::vector<std::shared_ptr<const ServerPart>> parts;  // in order of their servers
  // Computed with the snapshot, one for each replica; a query takes one, round-robin. Never empty.
  std::vector<Assignment> assignments;
  std::shared_ptr<const Roaring> unavailable;  // ids without a server that is alive; never null
  // Segments that every server which holds them calls broken.
  std::vector<BrokenReport> broken;
};

}  // namespace trellis::broker
