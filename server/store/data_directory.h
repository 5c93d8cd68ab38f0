#pragma once

#include <filesystem>
#include <memory>

#include "common/base/status.h"
#include "server/inventory/server_inventory.h"

namespace trellis::server {

struct LoadOptions {
  size_t threads = 2;
  bool follow_links = false;  // symbolic links that lead out of the directory
  bool verify = false;  // reads each segment whole when it is opened; one with faults is broken
  bool legacy_padding = false;  // segment::OpenOptions::legacy_padding
  TableInventory::Options inventory;
};

// A data directory (design.md section 3) as a server's inventory:
// TABLE[_OFFLINE|_REALTIME]/SEGMENT/ or an archive of it (segment_files.h), with optional
// schema.json and tableConfig.json a table. Segments that cannot be opened are skipped with a
// warning and listed as broken; a table whose schema or config file is not valid, whose folder
// cannot be read or which has two folders is refused, the others answer. One that was served and
// cannot be read now (a disk is away) stays as it was. Open and Rescan: one thread at a time.
class DataDirectory {
 public:
  // Errors: NotFound or PermissionDenied naming the path when the directory cannot be read;
  // Unavailable when it, or a table's, is moved, removed or replaced meanwhile.
  static Result<std::unique_ptr<DataDirectory>> Open(const std::filesystem::path& directory,
                                                     const LoadOptions& options);
  ~DataDirectory();

  const std::shared_ptr<ServerInventory>& inventory() const;
  // Looks again and takes over what has come, gone or changed (another crc or another file time),
  // with its changes told to watchers. Queries in flight keep what they have pinned. Errors as
  // Open; the inventory is then as it was, but for the other tables where one's directory was moved
  // (Unavailable).
  Status Rescan();

 private:
  struct State;
  explicit DataDirectory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace trellis::server
