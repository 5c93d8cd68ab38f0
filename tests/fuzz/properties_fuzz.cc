// Any text as a properties file and as segment metadata: an answer or Corrupt, never a fault.
#include <cstdlib>
#include <string_view>

#include "common/segment/properties_file.h"
#include "common/segment/segment_metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = trellis::segment::PropertiesFile::Parse(text);
  if (file.ok()) {
    for (const auto& property : file->properties()) {
      if (property.values.empty() || file->Find(property.key) != &property) std::abort();
    }
  }
  const size_t meta_size = size < 24 ? size : 24;
  const auto metadata = trellis::segment::ParseSegmentMetadata(text, text.substr(0, meta_size));
  if (metadata.ok()) {
    for (const auto& column : metadata->columns) {
      if (metadata->Find(column.field.name) != &column) std::abort();
    }
    (void)trellis::segment::DeriveSchema("t", *metadata);
  }
  return 0;
}
