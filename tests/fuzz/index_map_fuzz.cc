// Any text as an index_map: entries that are in order and do not overlap, or Corrupt.
#include <cstdlib>
#include <string_view>

#include "common/segment/index_map.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto entries = trellis::segment::ParseIndexMap({reinterpret_cast<const char*>(data), size});
  if (!entries.ok()) return 0;
  uint64_t end = 0;
  for (const auto& entry : *entries) {
    if (entry.size_bytes == 0) continue;
    if (entry.size_bytes < trellis::segment::kIndexMarkerSizeBytes || entry.start_offset < end)
      std::abort();
    end = entry.start_offset + entry.size_bytes;
    if (end < entry.start_offset) std::abort();
  }
  return 0;
}
