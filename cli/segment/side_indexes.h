#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/index/index_kinds.h"

namespace trellis::cli {

// An index that lies beside the index files of a segment: the star-trees, or a folder of Lucene's.
struct SideIndex {
  std::string column;  // empty for star-trees, which are over many
  std::string index;   // "star_tree", "text_index", "vector_index"
  uint64_t size_bytes = 0;
  index::IndexDescription description;
};

// Those found in the folder of a segment, by name. `metadata_properties` is the segment's. What
// cannot be read is described as such.
std::vector<SideIndex> FindSideIndexes(const std::filesystem::path& segment_folder,
                                       std::string_view metadata_properties);

}  // namespace trellis::cli
