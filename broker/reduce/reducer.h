#pragma once

#include <memory>
#include <vector>

#include "broker/reduce/result_table.h"
#include "common/aggregate/aggregate_function.h"
#include "common/block/block.h"
#include "common/plan/stage.h"

namespace trellis::broker {

// Puts the leaves' blocks together and finishes the query: merges groups, applies HAVING, ORDER BY,
// LIMIT and the expressions over aggregates. One thread at a time.
class Reducer {
 public:
  // Picks the reducer for the plan's shape. Errors: as ResolveAggregate.
  static Result<std::unique_ptr<Reducer>> Create(const plan::QueryPlan& plan);
  virtual ~Reducer() = default;

  // Takes one block of one complete leaf answer. Errors: Corrupt when it does not fit the plan.
  virtual Status Add(Block block) = 0;
  // The answer. Call once, last.
  virtual Result<ResultTable> Finish() = 0;
  // Some groups were dropped at the limit.
  virtual bool groups_limit_reached() const { return false; }
};

}  // namespace trellis::broker
