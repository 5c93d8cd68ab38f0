#pragma once

#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>

#include "common/base/status.h"
#include "common/segment/column.h"

namespace trellis::cli {

// Each opens the segment at `path` (a folder of either layout, or an archive of one) and writes to
// `out`. The result is the process's exit code: 0 done, 1 when `out` stops taking bytes.

// `trellis segment dump`: one JSON object a row, in docId order. `columns` empty = all.
Result<int> DumpSegment(const std::filesystem::path& path, std::span<const std::string> columns,
                        std::ostream& out, const segment::OpenOptions& options = {});

// `trellis segment inspect`: metadata, then a line a column with its type, encoding and indexes;
// `json` writes the same as one JSON object. Reads no rows; a column Trellis cannot read is listed
// all the same.
Result<int> InspectSegment(const std::filesystem::path& path, std::ostream& out, bool json,
                           const segment::OpenOptions& options = {});

}  // namespace trellis::cli
