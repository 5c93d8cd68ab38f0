#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "broker/query/query_response.h"
#include "broker/reduce/result_table.h"
#include "common/block/block.h"
#include "common/plan/stage.h"

namespace trellis::broker {

// The answer to EXPLAIN PLAN FOR (pinot-sql.md section 8): gathers the segments' plans from the
// servers and puts the broker's rows around them. Borrows the query's plan. One thread at a time.
class ExplainPlan {
 public:
  explicit ExplainPlan(const plan::QueryPlan& plan) : plan_(plan) {}

  // Takes one block of plans as server/operators/lane.h (MakeExplainLane) lays them out. Errors:
  // Corrupt when it has another form.
  Status Add(const Block& block);
  // Rows `Operator`, `Operator_Id`, `Parent_Id`: the plan that tells most, or with `verbose` each
  // different one. `segments` is how many were asked; it is shown where all of them were pruned.
  ResultTable Finish(bool verbose, int64_t segments) const;
  // Fills explainPlanNumEmptyFilterSegments and explainPlanNumMatchAllFilterSegments.
  void CountFilters(QueryStatistics& statistics) const;

 private:
  struct Row {
    std::string text;
    int32_t id;
    int32_t parent_id;
    auto operator<=>(const Row&) const = default;
  };
  using Rows = std::vector<Row>;
  static bool Contains(const Rows& rows, std::string_view operator_name);
  static int Rank(const Rows& rows);
  static void Append(const Row& row, ResultTable& table);
  static void AppendPlan(const Rows& rows, int64_t segments, ResultTable& table);

  const plan::QueryPlan& plan_;
  std::map<Rows, int64_t> plans_;  // how many segments have each

  friend ResultTable BrokerOnlyPlan();
};

// The plan of a query that no server is asked for.
ResultTable BrokerOnlyPlan();

// `BROKER_REDUCE(sort:[sum(runs) DESC],limit:5)`: what the broker does with the servers' rows.
std::string DescribeReduce(const plan::QueryPlan& plan);
// `COMBINE_GROUP_BY`: what a server does with its segments' rows.
std::string DescribeCombine(const plan::LeafStage& stage);

}  // namespace trellis::broker
