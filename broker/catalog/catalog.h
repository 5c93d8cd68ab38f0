#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/catalog/table.h"
#include "common/base/status.h"

namespace trellis::broker {

// One leaf server as the broker knows it.
struct ServerEntry {
  std::string target;  // host:port
  bool alive = false;
  bool reported = false;                            // it has said once what it holds
  std::vector<std::string> segment_list_encodings;  // best first
  std::string build_version;
  bool reads_list_chunks = false;
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

}  // namespace trellis::broker
