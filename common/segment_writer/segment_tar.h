#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/base/status.h"

namespace trellis::segment_writer {

// Writes `folder`, all of it, as a gzipped tar with one top-level folder `name` (format notes 1.4),
// in the order of paths, dated `time_ms`: the same files give the same bytes. Errors: those of
// output::OutputFile; Unavailable for a file that cannot be read.
Status WriteSegmentTar(const std::filesystem::path& folder, const std::string& name,
                       int64_t time_ms, const std::filesystem::path& archive);

}  // namespace trellis::segment_writer
