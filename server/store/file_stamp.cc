#include "server/store/file_stamp.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>

#include "server/store/segment_files.h"

namespace trellis::server {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFilesMax = 10'000;

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Plain text: a path object costs more than the calls of the system.
void Glance(const std::string& path, bool v3, FileStamp (&glance)[2]) {
  const std::string folder = path + (v3 ? "/v3/" : "/");
  glance[0] = StampOf(folder + "metadata.properties");
  if (glance[0] == FileStamp()) {
    glance[0] = StampOf(path);  // an archive, or a segment that is not whole
    glance[1] = {};
    return;
  }
  glance[1] = StampOf(folder + "creation.meta");
}

// What an entry below a segment's path means beside its stamp. Only folders cost a call.
void LookAt(const fs::directory_entry& entry, int depth, SegmentWalk& walk) {
  const fs::path name = entry.path().filename();
  std::error_code ignored;
  if (name == "validdocids.bitmap.snapshot" || name == "queryabledocids.bitmap.snapshot")
    walk.upsert_snapshot = true;
  if (entry.is_symlink(ignored)) walk.links.push_back(entry.path());
  if (depth > 0 || name == "v3" || !entry.is_directory(ignored) || !HoldsSegment(entry.path()))
    return;
  if (walk.nested.empty() || name < walk.nested) walk.nested = name.string();
}

}  // namespace

FileStamp StampOf(const std::string& file, int64_t* changed_ns) {
  struct stat found;
  if (::stat(file.c_str(), &found) != 0) return {};
  if (changed_ns != nullptr) *changed_ns = std::max(*changed_ns, Nanoseconds(found.st_ctim));
  return {found.st_ino, S_ISDIR(found.st_mode) ? 0 : int64_t{found.st_size},
          Nanoseconds(found.st_mtim)};
}

FileIdentity IdentityOf(const std::string& file) {
  struct stat found;
  if (::stat(file.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
}

bool IsGone(const std::string& file) {
  struct stat found;
  return ::lstat(file.c_str(), &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

SegmentWalk WalkSegment(const fs::path& path) {
  SegmentWalk walk;
  SegmentStamp& stamp = walk.stamp;
  stamp.v3 = StampOf(path.native() + "/v3/metadata.properties") != FileStamp();
  Glance(path, stamp.v3, stamp.glance);
  stamp.files.push_back(StampOf(path, &stamp.changed_ns));
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(path, error))) walk.links.push_back(path);
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied,
                                         error);
  while (!error && entry != fs::recursive_directory_iterator() && stamp.files.size() < kFilesMax) {
    LookAt(*entry, entry.depth(), walk);
    stamp.files.push_back(StampOf(entry->path(), &stamp.changed_ns));
    entry.increment(error);
  }
  std::sort(stamp.files.begin(), stamp.files.end(),
            [](const FileStamp& a, const FileStamp& b) { return a.inode < b.inode; });
  return walk;
}

bool GlanceHolds(const std::string& path, const SegmentStamp& stamp) {
  FileStamp now[2];
  Glance(path, stamp.v3, now);
  return now[0] == stamp.glance[0] && now[1] == stamp.glance[1];
}

int64_t FileClockNow() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return Nanoseconds(now);
}

}  // namespace trellis::server
