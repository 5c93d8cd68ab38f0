#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trellis::server {

// What tells that a file is not the one it was. All 0 where there is none.
struct FileStamp {
  uint64_t inode = 0;
  int64_t size_bytes = -1;
  int64_t modified_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

FileStamp StampOf(const struct stat& found);
int64_t ChangedNs(const struct stat& found);  // of its last change, its name's included
// Follows symbolic links. `changed_ns` (optional) grows to the time the file or its name was last
// written to, which nobody can set back.
FileStamp StampOf(const std::string& file, int64_t* changed_ns = nullptr);

// Which directory a path leads to, symbolic links followed. All 0 where it leads to nothing.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity IdentityOf(const std::string& file);

// Whether there is nothing by that name, not even a link that leads nowhere.
bool IsGone(const std::string& file);

// A segment on disk: its directory and everything in it, or its archive.
struct SegmentStamp {
  // Two files for one glance: metadata.properties and creation.meta (of `v3/` where that has them),
  // or the archive and nothing.
  FileStamp glance[2];
  bool v3 = false;
  std::vector<FileStamp> files;  // every file, sorted by inode; at most 10,000
  int64_t changed_ns = 0;        // when the youngest of them was last written to
  bool SameFiles(const SegmentStamp& other) const {
    return glance[0] == other.glance[0] && glance[1] == other.glance[1] && files == other.files;
  }
};
// Only looks at the two files of the glance. Costs two calls of the system.
bool GlanceHolds(const std::string& path, const SegmentStamp& stamp);

// Now, in the clock of `changed_ns`.
int64_t FileClockNow();

}  // namespace trellis::server
