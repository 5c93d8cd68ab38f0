#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
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
  // For one glance: metadata.properties, creation.meta and the folder of both (`v3/` where that has
  // them), whose time tells of files that came or went; or the archive and nothing.
  FileStamp glance[3];
  bool v3 = false;
  std::vector<FileStamp> files;  // every file, sorted by inode; at most 10,000
  int64_t changed_ns = 0;        // when the youngest of them was last written to
  bool SameFiles(const SegmentStamp& other) const {
    return std::equal(std::begin(glance), std::end(glance), std::begin(other.glance)) &&
           files == other.files;
  }
};
// Only looks at what the glance is of. Costs three calls of the system.
bool GlanceHolds(const std::string& path, const SegmentStamp& stamp);

// Now, in the clock of `changed_ns`.
int64_t FileClockNow();

}  // namespace trellis::server
