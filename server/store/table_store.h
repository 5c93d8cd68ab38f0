#pragma once

#include <absl/container/flat_hash_map.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/string_hash.h"
#include "common/segment/segment.h"
#include "common/types/schema.h"

namespace trellis::server {

// A segment that could not be opened: skipped, listed, and named when a query needs it.
struct BrokenSegment {
  std::string name;
  std::string reason;
};

// One table of one type as this server holds it. Immutable.
struct TableStore {
  std::string name;  // with type: baseballStats_OFFLINE
  std::shared_ptr<const Schema> schema;
  std::string schema_json;
  std::string config_json;  // empty = no tableConfig.json
  std::string refused;      // why queries are refused (upsert, ...); empty = they are not
  std::vector<std::shared_ptr<const segment::Segment>> segments;  // in name order
  std::vector<BrokenSegment> broken;
  absl::flat_hash_map<std::string, size_t, StringHash, StringEqual> ordinal_by_name;

  // The position of a segment in `segments`, or npos.
  static constexpr size_t npos = SIZE_MAX;
  size_t Find(std::string_view segment) const;
};

// Everything a server holds, at one moment. Immutable; queries pin it (and so its segments) by the
// pointer.
struct StoreSnapshot {
  std::map<std::string, std::shared_ptr<const TableStore>, std::less<>>
      tables;  // by name with type
  uint64_t incarnation = 0;
  uint64_t epoch = 1;
};

struct LoadOptions {
  size_t threads = 2;
};

// Loads a data directory (design.md section 3): TABLE[_OFFLINE|_REALTIME]/SEGMENT/ or
// SEGMENT.tar.gz, with optional schema.json and tableConfig.json a table. Segments that cannot be
// opened are skipped with a warning and kept in `broken`; a table whose schema or config file is
// not valid is refused, the others answer. Errors: NotFound naming the path when a directory cannot
// be read; InvalidArgument when a table is there under two folder names.
Result<std::shared_ptr<const StoreSnapshot>> LoadDataDirectory(
    const std::filesystem::path& directory, const LoadOptions& options);

}  // namespace trellis::server
