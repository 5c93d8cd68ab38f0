// The last 24 bytes as a creation.meta, what is before as a metadata.properties: an answer whose
// columns are in order and found by name, or Corrupt, never a fault.
#include <cstdlib>
#include <string_view>

#include "common/segment/segment_metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t text_size = size < 24 ? size : size - 24;
  const auto metadata =
      trellis::segment::ParseSegmentMetadata(bytes.substr(0, text_size), bytes.substr(text_size));
  if (!metadata.ok()) {
    if (!metadata.status().IsCorrupt()) std::abort();
    return 0;
  }
  for (const auto& column : metadata->columns) {
    if (metadata->Find(column.field.name) != &column) std::abort();
    if (column.bits_per_element < -1 || column.bits_per_element > 32) std::abort();
    if (column.partitions.size() > static_cast<size_t>(column.partition_count)) std::abort();
  }
  (void)trellis::segment::DeriveSchema("t", *metadata);
  return 0;
}
