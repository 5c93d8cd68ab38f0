#pragma once

#include <filesystem>
#include <memory>

#include "common/base/status.h"

namespace trellis::segment {

class TemporaryFolders;

// A folder of its own that is removed, with all in it, when the object dies.
//
// All of a process lie in one folder, `trellis-segments-XXXXXX`, whose lock the system gives back
// when the process ends, however it ends. Who makes the first one of a process removes the folders
// of processes that were killed. Thread-safe.
class TemporaryFolder {
 public:
  // Makes a new folder inside `parent`, or in the system's folder for temporary files when that is
  // empty. Errors: Unavailable.
  static Result<std::unique_ptr<TemporaryFolder>> Make(const std::filesystem::path& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::shared_ptr<TemporaryFolders> all, std::filesystem::path path);
  std::shared_ptr<TemporaryFolders> all_;
  std::filesystem::path path_;
};

}  // namespace trellis::segment
