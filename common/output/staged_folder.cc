#include "common/output/staged_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace trellis::output {
namespace {

namespace fs = std::filesystem;

Status Refused(const fs::path& path, const char* what, int reason) {
  if (reason == ENOSPC || reason == EDQUOT) {
    return Status::ResourceExhausted("{}: {}: {}", path.string(), what, std::strerror(reason));
  }
  return Status::Unavailable("{}: {}: {}", path.string(), what, std::strerror(reason));
}

Status SyncOne(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Refused(path, "cannot open", errno);
  const int failed = ::fsync(descriptor);
  const int reason = errno;
  ::close(descriptor);
  // Some file systems cannot sync a folder, and say so; nothing is lost by going on.
  if (failed != 0 && reason != EINVAL) return Refused(path, "cannot sync", reason);
  return {};
}

Status SyncBelow(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    TRELLIS_RETURN_IF_ERROR(SyncOne(at->path()));
  }
  if (error) return Refused(folder, "cannot list", error.value());
  return SyncOne(folder);
}

fs::path ParentOf(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// Puts `from` at `to`. With `overwrite` the two change places, so that `to` is never missing.
Status Place(const fs::path& from, const fs::path& to, bool overwrite) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EEXIST && !overwrite)
    return Status::InvalidArgument("{} exists already", to.string());
  if (errno == EEXIST) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return {};
  }
  return Refused(to, "cannot rename", errno);
}

}  // namespace

Result<StagedFolder> StagedFolder::Create(const fs::path& given) {
  // "out/segment/" and "out/segment" are one place.
  const fs::path target = given.has_filename() ? given : given.parent_path();
  if (!target.has_filename()) {
    return Status::InvalidArgument("'{}' names no folder to write", given.string());
  }
  const fs::path parent = ParentOf(target);
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) return Refused(parent, "cannot make", error.value());
  std::string path = (parent / ("." + target.filename().string() + ".building.XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) return Refused(path, "cannot make", errno);
  // mkdtemp keeps others out; the finished folder is as public as any other.
  fs::permissions(path, fs::perms(0755), error);
  return StagedFolder(path, target);
}

StagedFolder::StagedFolder(fs::path path, fs::path target)
    : path_(std::move(path)), target_(std::move(target)) {}

StagedFolder::StagedFolder(StagedFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), target_(std::move(other.target_)) {}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Status StagedFolder::Commit(bool overwrite) {
  TRELLIS_RETURN_IF_ERROR(SyncBelow(path_));
  TRELLIS_RETURN_IF_ERROR(Place(path_, target_, overwrite));
  // What was there before, if anything, now lies under our name.
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  path_.clear();
  return SyncOne(ParentOf(target_));
}

Status StagedFolder::CommitFile(const fs::path& name, bool overwrite) {
  TRELLIS_RETURN_IF_ERROR(SyncOne(path_ / name));
  TRELLIS_RETURN_IF_ERROR(Place(path_ / name, target_, overwrite));
  return SyncOne(ParentOf(target_));
}

}  // namespace trellis::output
