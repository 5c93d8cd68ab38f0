#include "common/segment/index_map.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "common/segment/properties_file.h"
#include "common/types/java_text.h"

namespace trellis::segment {
namespace {

struct Halves {
  std::optional<uint64_t> start_offset;
  std::optional<uint64_t> size_bytes;
};

Result<uint64_t> ParseCount(const PropertiesFile::Property& property) {
  if (property.values.size() != 1) {
    return Status::Corrupt("line {}: '{}' has {} values", property.line, property.key,
                           property.values.size());
  }
  const auto number = ParseJavaLong(property.values[0]);
  if (!number || *number < 0) {
    return Status::Corrupt("line {}: '{}' is '{}', expected a number of at least 0", property.line,
                           property.key, property.values[0]);
  }
  return static_cast<uint64_t>(*number);
}

Status CheckOverlap(const std::vector<IndexMapEntry>& entries) {
  const IndexMapEntry* before = nullptr;
  for (const IndexMapEntry& entry : entries) {
    if (entry.size_bytes == 0) continue;
    if (before != nullptr && entry.start_offset - before->start_offset < before->size_bytes) {
      return Status::Corrupt("{}.{} at offset {} overlaps {}.{} at offset {} ({} bytes)",
                             entry.column, entry.index, entry.start_offset, before->column,
                             before->index, before->start_offset, before->size_bytes);
    }
    before = &entry;
  }
  return {};
}

}  // namespace

Result<std::vector<IndexMapEntry>> ParseIndexMap(std::string_view text) {
  TRELLIS_ASSIGN_OR_RETURN(const PropertiesFile file, PropertiesFile::Parse(text));
  std::map<std::pair<std::string, std::string>, Halves> halves;
  for (const PropertiesFile::Property& property : file.properties()) {
    // <column>.<index>.startOffset|size, from the right: columns may hold dots.
    const std::string& key = property.key;
    const size_t kind_dot = key.rfind('.');
    const size_t index_dot = kind_dot == std::string::npos || kind_dot == 0
                                 ? std::string::npos
                                 : key.rfind('.', kind_dot - 1);
    if (index_dot == std::string::npos) {
      return Status::Corrupt("line {}: key '{}', expected COLUMN.INDEX.startOffset or .size",
                             property.line, key);
    }
    const std::string kind = key.substr(kind_dot + 1);
    Halves& entry =
        halves[{key.substr(0, index_dot), key.substr(index_dot + 1, kind_dot - index_dot - 1)}];
    if (kind != "startOffset" && kind != "size") {
      return Status::Corrupt("line {}: key '{}' ends in '{}', expected startOffset or size",
                             property.line, key, kind);
    }
    TRELLIS_ASSIGN_OR_RETURN((kind == "size" ? entry.size_bytes : entry.start_offset),
                             ParseCount(property));
  }

  std::vector<IndexMapEntry> entries;
  for (const auto& [name, half] : halves) {
    if (!half.start_offset || !half.size_bytes) {
      return Status::Corrupt("{}.{} has no {}", name.first, name.second,
                             half.size_bytes ? "startOffset" : "size");
    }
    const uint64_t size_bytes = *half.size_bytes;
    if (size_bytes != 0 && size_bytes < kIndexMarkerSizeBytes) {
      return Status::Corrupt("{}.{} has {} bytes, its marker alone takes {}", name.first,
                             name.second, size_bytes, kIndexMarkerSizeBytes);
    }
    if (size_bytes >
        static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) - *half.start_offset) {
      return Status::Corrupt("{}.{}: offset {} and size {} leave 63 bits", name.first, name.second,
                             *half.start_offset, size_bytes);
    }
    entries.push_back({name.first, name.second, *half.start_offset, size_bytes});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const IndexMapEntry& a, const IndexMapEntry& b) {
                     return a.start_offset < b.start_offset;
                   });
  TRELLIS_RETURN_IF_ERROR(CheckOverlap(entries));
  return entries;
}

}  // namespace trellis::segment
