#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis::segment_writer {

// One file of a column in layout V1.
struct WrittenFile {
  std::string index;      // "forward_index"
  std::string extension;  // ".sv.raw.fwd", behind the column's name
  uint64_t size_bytes = 0;
  uint32_t adler = 1;  // of its bytes
};

// What is known of a column once it is encoded: what metadata.properties says of it.
struct ColumnFacts {
  bool has_dictionary = false;
  bool has_forward_index = false;
  uint32_t entry_bytes = 0;  // of a dictionary of texts or bytes: the longest value
  uint32_t cardinality = 0;
  bool sorted = false;
  uint64_t total_entries = 0;
  uint32_t longest_row_entries = 0;  // 0 for single values
  // StoredValueText of the least and the greatest value; absent where there are none (no rows, a
  // MAP) or the text is longer than metadata keeps.
  std::optional<std::string> min_text;
  std::optional<std::string> max_text;
  bool has_bounds = false;
  std::vector<int32_t> partitions;
  std::vector<WrittenFile> files;
};

// UTF-16 units of the longest text that metadata keeps as a bound.
inline constexpr uint64_t kBoundUnitsMax = 512;

}  // namespace trellis::segment_writer
