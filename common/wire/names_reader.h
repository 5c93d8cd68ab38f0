#pragma once

#include <vector>

#include "common/wire/message_limits.h"
#include "common/wire/segment_list_codec.h"

namespace trellis::wire {

// What one segment list may still cost its reader, in all its pieces.
struct ListBudget {
  size_t tables_left = kMessageLimits.segment_groups_max;  // entries, so repeated ones count too
  size_t names_left = kMessageLimits.segment_names_max;
};

// Merges a serialised trellis.v1.SegmentsMap into `groups` with protobuf's rules: the last entry of
// a key wins, unknown fields are stepped over. Keys stay in order of arrival. `base` is where
// offsets in errors count from; `depth_left` as in FieldReader. Errors: InvalidArgument with the
// offset; ResourceExhausted over the budget.
Status ReadSegmentsMap(ByteView map, const uint8_t* base, int depth_left, ListBudget& budget,
                       std::vector<SegmentListGroup>& groups);

}  // namespace trellis::wire
