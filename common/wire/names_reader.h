#pragma once

#include <vector>

#include "common/wire/segment_list_codec.h"

namespace trellis::wire {

// Merges a serialised trellis.v1.SegmentsMap into `groups` with protobuf's rules: the last entry of
// a key wins, unknown fields are stepped over. Keys stay in order of arrival. `base` is where
// offsets in errors count from; `depth_left` as in FieldReader; `names_left` = names that may still
// be read. Errors: InvalidArgument with the offset; ResourceExhausted over kMessageLimits' tables
// or names.
Status ReadSegmentsMap(ByteView map, const uint8_t* base, int depth_left, size_t& names_left,
                       std::vector<SegmentListGroup>& groups);

}  // namespace trellis::wire
