#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::segment {

// One buffer of the file `star_tree_index`, as `star_tree_index_map` places it (format notes 7.7).
// It has no marker.
struct StarTreeBuffer {
  uint32_t tree = 0;
  std::string column;  // empty for the tree's nodes; a pair such as `sum__fare` for a metric
  bool nodes = false;  // STAR_TREE; otherwise FORWARD_INDEX
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
};

// Parses `star_tree_index_map`; buffers in the order of their offsets. Errors: Corrupt for a key of
// another form, a number missing, repeated or negative, and a buffer past `file_size_bytes` or over
// another.
Result<std::vector<StarTreeBuffer>> ParseStarTreeMap(std::string_view text,
                                                     uint64_t file_size_bytes);

// One star-tree as `metadata.properties` describes it (`startree.v2.<i>.*`).
struct StarTreeMetadata {
  uint32_t document_count = 0;  // of the tree's own documents
  std::vector<std::string> split_order;
  std::vector<std::string> function_column_pairs;  // `count__*`, `sum__fare`; case as written
  uint32_t leaf_records_max = 0;
  std::vector<std::string> skip_star_dimensions;
};

// The star-trees of a segment, none when it has none. Errors: Corrupt naming the key.
Result<std::vector<StarTreeMetadata>> ParseStarTreeMetadata(std::string_view metadata_properties);

}  // namespace trellis::segment
