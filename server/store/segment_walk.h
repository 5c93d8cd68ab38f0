#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/store/file_stamp.h"

namespace trellis::server {

// One look at all that lies at a segment's path.
struct SegmentWalk {
  SegmentStamp stamp;
  std::vector<std::filesystem::path> links;  // symbolic ones: itself, or in it
  std::string nested;                        // a folder in it, other than `v3`, that is a segment
  bool upsert_snapshot = false;              // a file of valid docIds lies there
};
// Cost: one call of the system a file and five a folder. What cannot be read is passed over.
SegmentWalk WalkSegment(const std::filesystem::path& path);

}  // namespace trellis::server
