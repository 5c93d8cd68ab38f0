#pragma once

#include <cstdint>
#include <filesystem>

#include "common/base/status.h"

namespace trellis::segment {

struct UnpackLimits {
  uint64_t size_bytes_max = 64ull << 30;  // of all files, unpacked
  uint64_t entry_count_max = 100'000;
};

// Unpacks a segment's tar archive (gzip, LZ4 frame, zstd or plain, told by its content; format
// notes 1.4) into `target`, which must exist, and returns the folder that holds the segment: the
// archive's one top-level folder. Nothing is written outside `target`. Errors: NotFound; Corrupt
// for a broken archive, an entry that is a link or a device, an absolute path or one with "..", the
// same file twice, or another number of top-level folders; ResourceExhausted past a limit;
// Unavailable when writing fails.
Result<std::filesystem::path> UnpackSegment(const std::filesystem::path& archive,
                                            const std::filesystem::path& target,
                                            const UnpackLimits& limits = {});

}  // namespace trellis::segment
