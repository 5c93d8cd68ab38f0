#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "common/aggregate/aggregate_function.h"
#include "common/plan/stage.h"
#include "common/types/schema.h"

namespace trellis::server {

// A leaf stage made ready to run: aggregations resolved, shared by the lanes of one query.
// Immutable but for the counters that lanes tell each other by.
struct LeafQuery {
  plan::LeafStage stage;
  std::shared_ptr<const Schema> schema;
  std::vector<std::shared_ptr<const aggregate::AggregateFunction>>
      functions;  // beside stage.aggregates
  size_t groups_max = 0;

  // Set from outside to stop the lanes at their next batch.
  std::atomic<bool> cancelled{false};
  // Selection without ORDER BY, DISTINCT without ORDER BY: rows that all lanes have; at the limit
  // they stop.
  std::atomic<int64_t> rows_found{0};

  // Checks the stage against the schema (stage_check.h); `schema` null = no table, so no segment
  // either. Errors: of CheckStage; Query(700) for functions or argument types that do not exist.
  static Result<std::shared_ptr<LeafQuery>> Create(plan::LeafStage stage,
                                                   std::shared_ptr<const Schema> schema,
                                                   size_t groups_max);
};

}  // namespace trellis::server
