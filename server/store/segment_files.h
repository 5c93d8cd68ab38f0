#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::server {

// What of a data directory is opened, and how.
struct OpenPolicy {
  std::filesystem::path root;   // the data directory, all links followed
  bool follow_links = false;    // also symbolic links that lead out of it
  bool verify = false;          // a segment with faults is broken (docs/verify.md)
  bool legacy_padding = false;  // segment::OpenOptions::legacy_padding
};

// Whether a file's name says that it is an archive of a segment: .tar.gz, .tgz, .tar.zst, .tar.lz4.
bool IsArchiveName(std::string_view file);
// The name without that ending.
std::string WithoutArchiveEnding(std::string file);

// Names in a table's folder of what can hold a segment, sorted: its directory, or an archive where
// no directory has the name. A link to nothing is one too, so that it is listed as broken rather
// than overlooked. Errors: NotFound, PermissionDenied.
Result<std::vector<std::string>> SegmentFiles(const std::filesystem::path& table);

// Refuses a symbolic link that leads out of the root, unless the policy follows such links: whoever
// may write to a data directory is not to publish the rest of the machine. OK for what is no link
// and for links to nothing. Errors: PermissionDenied naming the link and where it leads.
Status CheckLink(const std::filesystem::path& path, const OpenPolicy& policy);

// Whether the folder holds a segment's metadata, as `v3/metadata.properties` or directly.
bool HoldsSegment(const std::filesystem::path& folder);

// NotFound or PermissionDenied, naming the directory.
Status CannotReadDirectory(const std::filesystem::path& path, const std::error_code& error);

}  // namespace trellis::server
