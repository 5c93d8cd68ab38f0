#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "common/memory/mapped_file.h"

namespace trellis::segment {

// A file of an open segment that is mapped while somebody uses it. Thread-safe.
class MappedOnUse {
 public:
  // `identity`: of the file when the segment was opened; another one is not read as that segment's.
  MappedOnUse(std::string path, const memory::FileIdentity& identity)
      : path_(std::move(path)), identity_(identity) {}

  const std::string& path() const { return path_; }

  // The one mapping that all users share. Errors: Unavailable when the file was replaced; those of
  // MappedFile::Open and MakeRoomForMapping.
  Result<std::shared_ptr<const memory::MappedFile>> Map();
  // The same, kept as long as the object.
  Result<std::shared_ptr<const memory::MappedFile>> MapToStay();

  // As MappedFile::CheckIntact; a mark outlives the mapping it was found on. Ok if never mapped.
  Status CheckIntact() const;
  bool torn() const;

 private:
  std::string path_;
  memory::FileIdentity identity_;
  mutable std::mutex mutex_;
  bool used_ = false;  // guarded by mutex_, as what follows
  std::weak_ptr<const memory::MappedFile> mapped_;
  std::shared_ptr<const memory::MappedFile> stays_;
  // Outlives the object: mappings may.
  std::shared_ptr<std::atomic<bool>> torn_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace trellis::segment
