#pragma once

#include <string>
#include <vector>

#include "common/plan/filter.h"
#include "server/operators/segment_source.h"

namespace trellis::server {

// A filter as Pinot would run it on one segment: the index each predicate takes, children in the
// order in which they would be asked.
struct FilterPlan {
  enum class Kind : uint8_t { kMatchAll, kEmpty, kOther };
  Kind kind = Kind::kOther;
  std::string text;  // `FILTER_AND`, `FILTER_FULL_SCAN(operator:EQ,predicate:a = '1')`
  std::vector<FilterPlan> children;
  int priority = 0;          // within an AND the lower is asked first
  bool counts_fast = false;  // an index knows the number of matches without listing them
};

// Looks at metadata and dictionaries, never at a row. Errors: NotFound, Corrupt of the segment;
// Query(700) for a pattern that is refused.
Result<FilterPlan> ExplainFilter(const plan::Filter& filter, SegmentSource& source);

}  // namespace trellis::server
