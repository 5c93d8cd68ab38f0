#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/types/schema.h"

namespace trellis::broker {

// One leaf server as the broker knows it.
struct ServerEntry {
  std::string target;  // host:port
  bool alive = false;
  bool reported = false;  // it has said once what it holds
  std::vector<std::string> segment_list_encodings;  // best first
  std::string build_version;
};

// One segment of a table and the servers that hold it.
struct SegmentEntry {
  std::string name;
  int64_t rows = 0;
  std::optional<int64_t> start_time_ms;
  std::optional<int64_t> end_time_ms;
  std::vector<uint32_t> servers;  // positions in CatalogSnapshot::servers that can serve it
  std::string broken;             // set when no server can read it: why
};

// The segments one server answers for in one assignment. Views into the table's entries.
struct ServerShare {
  uint32_t server = 0;
  std::vector<std::string_view> segments;
};

// One way to cover a table: every segment that can be served, once.
struct Assignment {
  std::vector<ServerShare> shares;
};

// A table of one type. Immutable.
struct Table {
  std::string name;      // with type: t_OFFLINE
  std::string raw_name;  // t
  std::string type;      // OFFLINE, REALTIME
  std::shared_ptr<const Schema> schema;
  std::string schema_json;
  std::string config_json;
  std::string refused;                 // why queries on it are refused; empty = they are not
  std::vector<SegmentEntry> segments;  // in name order
  std::vector<size_t> unavailable;     // positions of segments without a server that can serve them
  // Computed with the snapshot, one for each replica; a query takes one, round-robin.
  std::vector<Assignment> assignments;
  int64_t rows = 0;
};

// What the broker knows of tables and servers at one moment. Immutable, shared by queries.
class CatalogSnapshot {
 public:
  std::vector<ServerEntry> servers;
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables;  // by name with type

  // Finds the table a query names, with or without type, letters' case ignored.
  // Errors: Query(190) with the nearest name; Query(700) for a name that stands for two types
  // (hybrid) or a table that is refused.
  Result<std::shared_ptr<const Table>> FindTable(std::string_view name) const;
  std::vector<std::string> raw_names() const;
};

// What one server reported, for building snapshots.
struct ReportedSegment {
  std::string name;
  int64_t rows = 0;
  std::optional<int64_t> start_time_ms;
  std::optional<int64_t> end_time_ms;
  std::string broken;
};
struct ReportedTable {
  std::string name;
  std::string schema_json;
  std::string config_json;
  std::string refused;
  std::vector<ReportedSegment> segments;
};
struct ReportedServer {
  ServerEntry server;
  std::vector<ReportedTable> tables;
};

// Puts the servers' reports together. A table whose servers disagree on its schema takes the first
// one's, with a warning. A schema that does not parse makes its table refused.
std::shared_ptr<const CatalogSnapshot> BuildCatalog(const std::vector<ReportedServer>& reports);

}  // namespace trellis::broker
