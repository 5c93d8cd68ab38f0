#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::segment {

// One buffer of `columns.psf` as `index_map` places it (format notes 1.2): the marker of 8 bytes
// lies at `start_offset` and is part of `size_bytes`. A size of 0 stands for an index stored
// elsewhere.
struct IndexMapEntry {
  std::string column;
  std::string index;  // "forward_index", ...; ids Trellis does not know are kept
  uint64_t start_offset = 0;
  uint64_t size_bytes = 0;
};

inline constexpr uint64_t kIndexMarkerSizeBytes = 8;
inline constexpr uint64_t kIndexMarker = 0xDEADBEEFDEAFBEAD;  // big-endian in the file

// Parses the text of `index_map`; entries in the order of their start offsets. No range is compared
// with a file here. Errors: Corrupt for a key of another form, a number that is missing, repeated,
// negative or not decimal, a size of 1 to 7, and ranges that overflow 63 bits or overlap.
Result<std::vector<IndexMapEntry>> ParseIndexMap(std::string_view text);

}  // namespace trellis::segment
