#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/plan/expression.h"
#include "common/plan/filter.h"

namespace trellis::plan {

// One aggregation call: `percentile(hits, 95) FILTER (WHERE ...)`.
struct AggregateCall {
  std::string
      function;  // canonical: lower case, no underscores, e.g. "sum", "distinctcount", "percentile"
  std::vector<Expression> arguments;  // what is read a row; empty for COUNT(*)
  std::vector<Value> parameters;      // the literals behind them
  std::optional<Filter> filter;
  bool operator==(const AggregateCall&) const = default;
};

struct SortItem {
  Expression expression;
  bool ascending = true;
  bool nulls_first = false;  // already resolved from the default (nulls are largest)
  bool operator==(const SortItem&) const = default;
};

enum class QueryShape : uint8_t {
  kSelection,  // rows
  kAggregate,  // one row of aggregates
  kGroupBy,    // a row a group
  kDistinct,   // distinct rows of `keys`
};

// What one leaf server does over its segments of the query. Self-contained: a server needs nothing
// else but the segment list.
struct LeafStage {
  std::string table;  // with type: baseballStats_OFFLINE
  QueryShape shape = QueryShape::kSelection;
  Filter filter;
  std::vector<Expression> select;  // kSelection: columns of the answer, in order
  std::vector<SortItem>
      order_by;  // kSelection and kDistinct; kDistinct: expressions are among `keys`
  std::vector<Expression> keys;           // kGroupBy, kDistinct
  std::vector<AggregateCall> aggregates;  // kAggregate, kGroupBy
  int64_t limit =
      10;  // rows wanted: OFFSET + LIMIT where the offset counts; kSelection and kDistinct
  bool null_handling = false;
  int64_t groups_max = 0;  // groups a server keeps, at most; 0 = its own default
  bool explain = false;    // answer with the segments' plans instead of running them
  bool operator==(const LeafStage&) const = default;
};

// What the broker does with the leaves' blocks. Output expressions refer to leaf columns by
// position as columns named "#0", "#1", ...: for kGroupBy the keys first, then the finished
// aggregates; for kAggregate the aggregates; for kDistinct the keys; for kSelection the select
// columns.
struct ReduceStage {
  std::vector<Expression> output;
  std::vector<std::string> output_names;
  std::vector<ValueType> output_types;
  std::optional<Filter> having;  // over the same columns; two-valued: a predicate on NULL is FALSE
  std::vector<SortItem> order_by;
  int64_t limit = 10;
  int64_t offset = 0;
};

struct QueryPlan {
  LeafStage leaf;
  ReduceStage reduce;
};

}  // namespace trellis::plan
