#pragma once

#include <span>
#include <string>

#include "common/base/status.h"
#include "common/segment_writer/column_facts.h"
#include "common/segment_writer/column_plan.h"

namespace trellis::segment_writer {

// What metadata.properties says of the segment as a whole.
struct SegmentFacts {
  uint32_t documents = 0;
  int64_t creation_time_ms = 0;
};

// The text of metadata.properties: the keys of Pinot 1.5.1 in its order (format notes 2.2, 2.3).
// `plans` and `facts` are in the order of the schema. Errors: InvalidArgument for a time column
// whose format is none, or holds no time.
Result<std::string> MetadataProperties(const BuildSettings& settings, const SegmentFacts& segment,
                                       std::span<const ColumnPlan> plans,
                                       std::span<const ColumnFacts> facts);

}  // namespace trellis::segment_writer
