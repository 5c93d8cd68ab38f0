#pragma once

#include "common/verify/column_view.h"

namespace trellis::verify {

// The star-trees of a segment (format notes 7.7): that metadata, `star_tree_index_map` and
// `star_tree_index` name the same trees, that ranges lie in the file, the nodes, the dimensions'
// dictIds and the metrics' values. Aggregates are not computed again.
void CheckStarTrees(const SegmentView& view, const std::filesystem::path& folder);

}  // namespace trellis::verify
