#include "server/store/file_stamp.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>

namespace trellis::server {
namespace {

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Plain text: a path object costs more than the calls of the system.
void Glance(const std::string& path, bool v3, FileStamp (&glance)[3]) {
  const std::string folder = path + (v3 ? "/v3/" : "/");
  glance[0] = StampOf(folder + "metadata.properties");
  if (glance[0] == FileStamp()) {
    glance[0] = StampOf(path);  // an archive, or a segment that is not whole
    glance[1] = {};
    glance[2] = {};
    return;
  }
  glance[1] = StampOf(folder + "creation.meta");
  glance[2] = StampOf(folder);
}

}  // namespace

FileStamp StampOf(const struct stat& found) {
  return {found.st_ino, S_ISDIR(found.st_mode) ? 0 : int64_t{found.st_size},
          Nanoseconds(found.st_mtim)};
}

int64_t ChangedNs(const struct stat& found) { return Nanoseconds(found.st_ctim); }

FileStamp StampOf(const std::string& file, int64_t* changed_ns) {
  struct stat found;
  if (::stat(file.c_str(), &found) != 0) return {};
  if (changed_ns != nullptr) *changed_ns = std::max(*changed_ns, ChangedNs(found));
  return StampOf(found);
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

bool GlanceHolds(const std::string& path, const SegmentStamp& stamp) {
  FileStamp now[3];
  Glance(path, stamp.v3, now);
  return std::equal(std::begin(now), std::end(now), std::begin(stamp.glance));
}

int64_t FileClockNow() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return Nanoseconds(now);
}

}  // namespace trellis::server
