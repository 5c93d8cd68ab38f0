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
#include "server/store/segment_files.h"

namespace trellis::server {

// One table's folder: what lies in it, and what has changed since it was last looked at. Not
// thread-safe.
class TableFolder {
 public:
  TableFolder(std::filesystem::path path, std::string name, const OpenPolicy& policy);

  const std::filesystem::path& path() const { return path_; }
  const TableInfo& info() const { return info_; }

  // Looks which segments lie there. Nothing else changes. Errors: NotFound, PermissionDenied.
  Status List();
  // In place of List: reads nothing of the folder, the table is refused with this reason.
  void Refuse(std::string reason);
  // In place of List, for a folder that cannot be read now: a table that was read before stays as
  // it was told, with a warning the first time. False when it never was.
  bool StayAsServed(const Status& unreadable);

  // What an inventory must be told to hold what the folder holds.
  struct Change {
    std::vector<InventorySegment> add;  // new, or replacing what has the same name
    std::vector<std::string> drop;
    std::optional<TableInfo> info;
    bool empty() const { return add.empty() && drop.empty() && !info; }
  };
  // Opens what is new or has changed of what was listed, on `threads` threads, and tells how that
  // differs from the last time. Error: Unavailable when the folder or the directory it lies in is
  // not the one that was listed any more; nothing has changed then.
  Result<Change> Refresh(size_t threads);

 private:
  using SegmentPointer = std::shared_ptr<const segment::Segment>;
  // A file or directory that can hold a segment.
  struct Entry {
    SegmentStamp stamp;    // taken before it was opened
    SegmentStamp seen;     // of a changed archive, when it was last looked at
    bool settled = false;  // long enough untouched that a glance will do
    Result<SegmentPointer> opened = Status::Internal("not opened");
    std::string broken_name;  // what a broken one is listed as
    bool upsert_snapshot = false;
  };
  using NamedEntry = std::pair<const std::string, Entry>;  // by its name in the folder
  // What a look at the segments has found, not taken over yet.
  struct Look {
    std::vector<std::string> gone;
    std::vector<std::pair<std::string, Entry>> opened;
  };
  // The table's own files.
  struct Files {
    std::optional<FileStamp> config_stamp;  // unset = not looked at yet
    std::string config_json;
    std::string config_refused;
    ZoneColumns zone_columns;
    std::optional<FileStamp> schema_stamp;
    std::shared_ptr<const Schema> schema;  // of the file; null = derived from the segments
    std::string schema_json;
    std::string schema_refused;
  };
  using Held = absl::flat_hash_map<std::string_view, SegmentPointer, StringHash, StringEqual>;

  void Open(const std::filesystem::path& path, Entry& entry) const;
  static bool IsUnchanged(const std::string& path, Entry& entry);
  Status CheckInPlace() const;
  void Place(std::string refused);
  Look LookAtEntries(size_t threads);
  void OpenAll(size_t threads, std::vector<std::pair<std::string, Entry>>& entries) const;
  void TakeOver(Look look);
  std::string PathOf(const std::string& file) const { return path_.native() + '/' + file; }
  void Warn(const std::string& file, const Entry& entry) const;
  Held HeldNow(std::string& refused, std::vector<BrokenSegment>& broken) const;
  Result<std::string> ReadOwnFile(const std::filesystem::path& file) const;
  bool RefreshConfig();
  bool RefreshSchemaFile();
  void DeriveSchema(const Held& held, TableInfo& info) const;
  static void AddIndexColumns(const Held& held, TableInfo& info);
  TableInfo InfoOf(const Held& held, std::string snapshot_refused,
                   std::vector<BrokenSegment> broken) const;

  std::filesystem::path path_;
  std::string name_;  // with type
  OpenPolicy policy_;
  std::string place_refused_;   // why nothing is read from path_
  bool place_changed_ = false;  // since the last refresh
  bool served_ = false;         // what was read of it has been told
  std::string away_;            // why it cannot be read now, and stays as it was

  FileIdentity directory_identity_;  // of what path_ lies in, when it was listed
  FileIdentity identity_;            // of path_
  std::vector<std::string> listed_;  // names in the folder, in byte order
  FileStamp listed_folder_;  // of a folder that was old enough when it was listed; else nothing
  std::map<std::string, Entry> entries_;
  Held held_;  // what the inventory was told; keys lie in the segments

  Files files_;
  TableInfo info_;  // what the inventory was told
};

// Unavailable: in the middle of a look the path has come to lead elsewhere.
Status DirectoryMoved(const std::filesystem::path& path);

}  // namespace trellis::server
