#pragma once

#include <absl/container/flat_hash_map.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/base/string_hash.h"
#include "server/inventory/table_inventory.h"
#include "server/store/file_stamp.h"
#include "server/store/segment_facts.h"

namespace trellis::server {

// One table's folder: what lies in it, and what has changed since it was last looked at. Not
// thread-safe.
class TableFolder {
 public:
  TableFolder(std::filesystem::path path, std::string name);

  const std::filesystem::path& path() const { return path_; }
  const TableInfo& info() const { return info_; }

  // Looks which segments lie there. Nothing else changes. Errors: NotFound, PermissionDenied.
  Status List();

  // What an inventory must be told to hold what the folder holds.
  struct Change {
    std::vector<InventorySegment> add;  // new, or replacing what has the same name
    std::vector<std::string> drop;
    std::optional<TableInfo> info;
    bool empty() const { return add.empty() && drop.empty() && !info; }
  };
  // Opens what is new or has changed of what was listed, on `threads` threads, and tells how that
  // differs from the last time.
  Change Refresh(size_t threads);

 private:
  using SegmentPointer = std::shared_ptr<const segment::Segment>;
  // A file or directory that can hold a segment.
  struct Entry {
    SegmentStamp stamp;    // taken before it was opened
    SegmentStamp seen;     // of a changed archive, when it was last looked at
    bool settled = false;  // long enough untouched that a glance will do
    Result<SegmentPointer> opened = Status::Internal("not opened");
    bool upsert_snapshot = false;
  };
  using Held = absl::flat_hash_map<std::string_view, SegmentPointer, StringHash, StringEqual>;

  static void Open(const std::filesystem::path& path, Entry& entry);
  static bool IsUnchanged(const std::string& path, Entry& entry);
  bool RefreshEntries(size_t threads);
  std::string PathOf(const std::string& file) const { return path_.native() + '/' + file; }
  void Warn(const std::string& file, const Entry& entry) const;
  Held HeldNow(std::string& refused, std::vector<BrokenSegment>& broken) const;
  bool RefreshConfig();
  bool RefreshSchemaFile();
  void DeriveSchema(const Held& held, TableInfo& info) const;
  TableInfo InfoOf(const Held& held, std::string snapshot_refused,
                   std::vector<BrokenSegment> broken) const;

  std::filesystem::path path_;
  std::string name_;  // with type

  std::vector<std::string> listed_;  // names in the folder, in byte order
  FileStamp listed_folder_;  // of a folder that was old enough when it was listed; else nothing
  std::map<std::string, Entry> entries_;
  Held held_;  // what the inventory was told; keys lie in the segments

  std::optional<FileStamp> config_stamp_;  // unset = not looked at yet
  std::string config_json_;
  std::string config_refused_;
  ZoneColumns zone_columns_;
  std::optional<FileStamp> schema_stamp_;
  std::shared_ptr<const Schema> schema_;  // of the file; null = derived from the segments
  std::string schema_json_;
  std::string schema_refused_;
  TableInfo info_;  // what the inventory was told
};

// "t_OFFLINE" of a folder "t"; a folder that names its type is called as its table.
std::string TypedTableName(const std::string& folder);
// NotFound or PermissionDenied, naming the directory.
Status CannotReadDirectory(const std::filesystem::path& path, const std::error_code& error);

}  // namespace trellis::server
