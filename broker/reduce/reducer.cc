#include "broker/reduce/reducer.h"

#include <algorithm>
#include <numeric>

#include "broker/reduce/leaf_columns.h"
#include "common/block/row_order.h"
#include "common/grouping/group_table.h"

namespace trellis::broker {
namespace {

// Groups the broker keeps of one query, at most.
constexpr size_t kGroupsMax = 5'000'000;

// The column a plain "#n" expression names, where no function is around it.
std::optional<size_t> PlainColumn(const plan::Expression& expression) {
  if (!expression.is_column() || !expression.name.starts_with("#")) return std::nullopt;
  return std::stoul(expression.name.substr(1));
}

// Orders, cuts and projects `block` as the reduce stage says.
Result<ResultTable> Project(const plan::ReduceStage& stage, Block block, bool null_handling) {
  if (stage.having) {
    TRELLIS_ASSIGN_OR_RETURN(const auto rows, RowsHaving(*stage.having, block, null_handling));
    block = TakeRows(block, rows);
  }
  const auto limit = static_cast<size_t>(std::max<int64_t>(stage.limit, 0));
  const auto offset = static_cast<size_t>(std::max<int64_t>(stage.offset, 0));
  const size_t wanted = limit > SIZE_MAX - offset ? SIZE_MAX : limit + offset;
  std::vector<uint32_t> rows;
  if (stage.order_by.empty()) {
    rows.resize(std::min(block.rows, wanted));
    std::iota(rows.begin(), rows.end(), 0);
  } else {
    Block sort;
    sort.rows = block.rows;
    std::vector<SortKey> keys;
    for (const plan::SortItem& item : stage.order_by) {
      TRELLIS_ASSIGN_OR_RETURN(ColumnVector column,
                               EvaluateOver(item.expression, block, null_handling));
      keys.push_back({sort.columns.size(), item.ascending, item.nulls_first});
      sort.columns.push_back(std::move(column));
    }
    rows = SortedRows(sort, keys, null_handling, wanted);
  }
  rows.erase(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(std::min(offset, rows.size())));
  if (rows.size() > limit) rows.resize(limit);
  const Block kept = TakeRows(block, rows);
  ResultTable table{stage.output_names, stage.output_types, {}};
  table.rows.rows = kept.rows;
  for (const plan::Expression& expression : stage.output) {
    const auto plain = PlainColumn(expression);
    if (plain && *plain < kept.columns.size()) {
      table.rows.columns.push_back(kept.columns[*plain]);
      continue;
    }
    TRELLIS_ASSIGN_OR_RETURN(ColumnVector column, EvaluateOver(expression, kept, null_handling));
    table.rows.columns.push_back(std::move(column));
  }
  return table;
}

// Rows of a selection: sort columns first, then the selected ones.
class SelectionReducer : public Reducer {
 public:
  explicit SelectionReducer(const plan::QueryPlan& plan) : plan_(plan) {
    for (const plan::SortItem& item : plan.leaf.order_by)
      rows_.columns.emplace_back(item.expression.type);
    for (const plan::Expression& expression : plan.leaf.select)
      rows_.columns.emplace_back(expression.type);
  }

  Status Add(Block block) override {
    if (block.columns.size() != rows_.columns.size()) {
      return Status::Corrupt("a leaf sent {} columns, {} were asked for", block.columns.size(),
                             rows_.columns.size());
    }
    for (size_t i = 0; i < block.columns.size(); ++i) {
      if (block.columns[i].size() != block.rows) {
        return Status::Corrupt("a leaf sent {} rows, but {} in column {}", block.rows,
                               block.columns[i].size(), i);
      }
      if (block.columns[i].physical() != rows_.columns[i].physical() ||
          block.columns[i].is_multi_value() != rows_.columns[i].is_multi_value()) {
        return Status::Corrupt("a leaf sent column {} as {}, expected {}", i,
                               ValueTypeName(block.columns[i].value_type()),
                               ValueTypeName(rows_.columns[i].value_type()));
      }
    }
    const auto limit = static_cast<size_t>(std::max<int64_t>(plan_.leaf.limit, 0));
    if (plan_.leaf.order_by.empty() && rows_.rows >= limit) return Status::Ok();
    AppendBlock(rows_, block);
    return Status::Ok();
  }

  Result<ResultTable> Finish() override {
    return Project(plan_.reduce, std::move(rows_), plan_.leaf.null_handling);
  }

 private:
  const plan::QueryPlan& plan_;
  Block rows_;
};

class GroupReducer : public Reducer {
 public:
  static Result<std::unique_ptr<Reducer>> Create(const plan::QueryPlan& plan) {
    std::vector<ValueType> key_types;
    for (const plan::Expression& key : plan.leaf.keys) key_types.push_back(key.type);
    std::vector<std::shared_ptr<const aggregate::AggregateFunction>> functions;
    for (const plan::AggregateCall& call : plan.leaf.aggregates) {
      aggregate::AggregateSpec spec{call.function, {}, call.parameters, plan.leaf.null_handling};
      for (const plan::Expression& argument : call.arguments)
        spec.argument_types.push_back(argument.type);
      TRELLIS_ASSIGN_OR_RETURN(auto function, aggregate::ResolveAggregate(spec));
      functions.push_back(std::move(function));
    }
    return std::unique_ptr<Reducer>(
        new GroupReducer(plan, std::move(key_types), std::move(functions)));
  }

  Status Add(Block block) override { return groups_.Merge(block); }

  Result<ResultTable> Finish() override {
    if (plan_.leaf.shape == plan::QueryShape::kAggregate) groups_.EnsureSingleGroup();
    groups_.ResizeStates();
    TRELLIS_ASSIGN_OR_RETURN(Block block, groups_.Finish());
    return Project(plan_.reduce, std::move(block), plan_.leaf.null_handling);
  }

  bool groups_limit_reached() const override { return groups_.limit_reached(); }

 private:
  GroupReducer(const plan::QueryPlan& plan, std::vector<ValueType> key_types,
               std::vector<std::shared_ptr<const aggregate::AggregateFunction>> functions)
      : plan_(plan),
        groups_(std::move(key_types), std::move(functions), plan.leaf.null_handling, kGroupsMax) {}
  const plan::QueryPlan& plan_;
  GroupTable groups_;
};

}  // namespace

Result<std::unique_ptr<Reducer>> Reducer::Create(const plan::QueryPlan& plan) {
  if (plan.leaf.shape == plan::QueryShape::kSelection)
    return std::unique_ptr<Reducer>(new SelectionReducer(plan));
  return GroupReducer::Create(plan);
}

}  // namespace trellis::broker
