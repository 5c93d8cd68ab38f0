#pragma once

#include <compare>
#include <string>
#include <vector>

#include "server/operators/leaf_query.h"
#include "server/operators/segment_source.h"

namespace trellis::server {

// One line of EXPLAIN PLAN FOR.
struct PlanRow {
  std::string text;  // `GROUP_BY(groupKeys:a, aggregations:count(*))`
  int32_t id = 0;
  int32_t parent_id = 0;
  auto operator<=>(const PlanRow&) const = default;
};

// Describes how Pinot's single-stage engine would run the query on one segment: operators in
// pre-order, ids from 3, the first one's parent 2 (pinot-sql.md section 8). Reads metadata and
// dictionaries, no rows. Errors: as ExplainFilter.
Result<std::vector<PlanRow>> ExplainSegment(const LeafQuery& query,
                                            const segment::Segment& segment);

// Orders column names as Java's HashMap does that was made for so many names and filled from a
// HashSet they had been added to one by one: the order in which Pinot projects them.
std::vector<std::string> ProjectionOrder(std::vector<std::string> names);

}  // namespace trellis::server
