#pragma once

#include <filesystem>

#include "common/base/status.h"

namespace trellis::output {

// A folder that is filled out of sight and then appears under its name, whole, or not at all: it is
// made beside its target (`.NAME.building.XXXXXX`), synced and renamed. Not thread-safe.
class StagedFolder {
 public:
  // `target` is where the folder shall stand. Its parent is made when missing. Errors: Unavailable.
  static Result<StagedFolder> Create(const std::filesystem::path& target);
  StagedFolder(StagedFolder&& other) noexcept;
  StagedFolder& operator=(StagedFolder&& other) = delete;
  // Removes what was not committed.
  ~StagedFolder();

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& target() const { return target_; }
  // Syncs every file and folder below path(), then renames it to the target. With `overwrite`
  // whatever is at the target is swapped out and removed after the new one stands. Errors:
  // InvalidArgument when the target exists and `overwrite` is false; Unavailable,
  // ResourceExhausted. The target is untouched after an error.
  Status Commit(bool overwrite);
  // The same for one file of the folder, `name`, that becomes the target: an archive.
  Status CommitFile(const std::filesystem::path& name, bool overwrite);

 private:
  StagedFolder(std::filesystem::path path, std::filesystem::path target);
  std::filesystem::path path_;
  std::filesystem::path target_;
};

}  // namespace trellis::output
