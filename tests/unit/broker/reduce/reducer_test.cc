#include "broker/reduce/reducer.h"

#include "tests/unit/broker/reduce/leaf_blocks.h"

namespace trellis::broker {
namespace {

// SELECT #0 (STRING), count(*) ... GROUP BY #0.
plan::QueryPlan GroupPlan() {
  plan::QueryPlan plan;
  plan.leaf.shape = plan::QueryShape::kGroupBy;
  plan.leaf.null_handling = true;
  plan.leaf.keys = {plan::Expression::Column("s", {DataType::kString, false})};
  plan.leaf.aggregates = {{"count", {}, {}, {}}};
  plan.reduce.output = {Leaf(0, DataType::kString), Leaf(1, DataType::kLong)};
  plan.reduce.output_names = {"s", "count(*)"};
  plan.reduce.output_types = {{DataType::kString, false}, {DataType::kLong, false}};
  return plan;
}

// SELECT i ... ORDER BY i: the leaf sends the sort column, then the selected one.
plan::QueryPlan OrderedPlan(bool ascending, bool nulls_first) {
  plan::QueryPlan plan;
  plan.leaf.null_handling = true;
  const plan::Expression column = plan::Expression::Column("i", {DataType::kInt, false});
  plan.leaf.order_by = {{column, ascending, nulls_first}};
  plan.leaf.select = {column};
  plan.reduce.order_by = {{Leaf(0, DataType::kInt), ascending, nulls_first}};
  plan.reduce.output = {Leaf(1, DataType::kInt)};
  plan.reduce.output_names = {"i"};
  plan.reduce.output_types = {{DataType::kInt, false}};
  return plan;
}

std::unique_ptr<Reducer> MakeReducer(const plan::QueryPlan& plan) {
  auto reducer = Reducer::Create(plan);
  INFO(reducer.status().message());
  REQUIRE(reducer.ok());
  return std::move(*reducer);
}

void Add(Reducer& reducer, std::vector<ColumnVector> columns) {
  const Status status = reducer.Add(MakeBlock(std::move(columns)));
  INFO(status.message());
  REQUIRE(status.ok());
}

ResultTable Finish(Reducer& reducer) {
  auto table = reducer.Finish();
  INFO(table.status().message());
  REQUIRE(table.ok());
  return std::move(*table);
}

ColumnVector IntsOrNull(const std::vector<std::optional<int32_t>>& values) {
  ColumnVector column(DataType::kInt);
  for (const auto& value : values)
    column.Append(value ? Value::Int(*value) : Value::Null(DataType::kInt));
  return column;
}

std::vector<Value> Sorted(bool ascending, bool nulls_first, int64_t limit = 10,
                          int64_t offset = 0) {
  plan::QueryPlan plan = OrderedPlan(ascending, nulls_first);
  plan.reduce.limit = limit;
  plan.reduce.offset = offset;
  const auto reducer = MakeReducer(plan);
  Add(*reducer, {IntsOrNull({3, std::nullopt}), IntsOrNull({3, std::nullopt})});
  Add(*reducer, {IntsOrNull({1, 2}), IntsOrNull({1, 2})});
  return ValuesOf(Finish(*reducer).rows, 0);
}

const Value kNull = Value::Null(DataType::kInt);

}  // namespace

TEST_CASE("groups of several blocks become one") {
  plan::QueryPlan plan = GroupPlan();
  plan.reduce.order_by = {{Leaf(0, DataType::kString), true, false}};
  const auto reducer = MakeReducer(plan);
  Add(*reducer, {Strings({"b", "a"}), Longs({1, 2})});
  Add(*reducer, {Strings({"a", "c"}), Longs({10, 5})});
  const ResultTable table = Finish(*reducer);
  CHECK(table.names == plan.reduce.output_names);
  CHECK(ValuesOf(table.rows, 0) ==
        std::vector{Value::String("a"), Value::String("b"), Value::String("c")});
  CHECK(ValuesOf(table.rows, 1) == std::vector{Value::Long(12), Value::Long(1), Value::Long(5)});
  CHECK_FALSE(reducer->groups_limit_reached());
}

TEST_CASE("HAVING sees the merged groups, before ORDER BY and LIMIT") {
  plan::QueryPlan plan = GroupPlan();
  plan.reduce.having = Greater(1, DataType::kLong, Value::Long(4));
  plan.reduce.order_by = {{Leaf(1, DataType::kLong), true, false}};
  plan.reduce.limit = 1;
  const auto reducer = MakeReducer(plan);
  Add(*reducer, {Strings({"a", "b", "c"}), Longs({3, 4, 9})});
  Add(*reducer, {Strings({"a"}), Longs({3})});
  CHECK(ValuesOf(Finish(*reducer).rows, 0) == std::vector{Value::String("a")});
}

TEST_CASE("expressions over groups are computed for the rows that are shown") {
  plan::QueryPlan plan = GroupPlan();
  plan.reduce.output = {plan::Expression::Function(
      "plus", {DataType::kLong, false},
      {Leaf(1, DataType::kLong), plan::Expression::Literal(Value::Long(1))})};
  plan.reduce.output_names = {"plus(count(*),'1')"};
  plan.reduce.output_types = {{DataType::kLong, false}};
  const auto reducer = MakeReducer(plan);
  Add(*reducer, {Strings({"a"}), Longs({3})});
  CHECK(ValuesOf(Finish(*reducer).rows, 0) == std::vector{Value::Long(4)});
}

TEST_CASE("nulls stand where the query puts them, whatever the direction") {
  CHECK(Sorted(true, false) == std::vector{Value::Int(1), Value::Int(2), Value::Int(3), kNull});
  CHECK(Sorted(true, true) == std::vector{kNull, Value::Int(1), Value::Int(2), Value::Int(3)});
  CHECK(Sorted(false, true) == std::vector{kNull, Value::Int(3), Value::Int(2), Value::Int(1)});
  CHECK(Sorted(false, false) == std::vector{Value::Int(3), Value::Int(2), Value::Int(1), kNull});
}

TEST_CASE("LIMIT and OFFSET cut the sorted rows of all blocks") {
  CHECK(Sorted(true, false, 2, 1) == std::vector{Value::Int(2), Value::Int(3)});
  CHECK(Sorted(true, false, 10, 3) == std::vector{kNull});
  CHECK(Sorted(true, false, 10, 4).empty());
  CHECK(Sorted(true, false, 10, INT64_MAX).empty());
  CHECK(Sorted(true, false, INT64_MAX, INT64_MAX).empty());
  CHECK(Sorted(true, false, 0).empty());
}

TEST_CASE("a selection without ORDER BY gives no more than its limit") {
  plan::QueryPlan plan;
  plan.leaf.select = {plan::Expression::Column("i", {DataType::kInt, false})};
  plan.leaf.limit = plan.reduce.limit = 3;
  plan.reduce.output = {Leaf(0, DataType::kInt)};
  plan.reduce.output_names = {"i"};
  plan.reduce.output_types = {{DataType::kInt, false}};
  const auto reducer = MakeReducer(plan);
  Add(*reducer, {Ints({5, 4})});
  Add(*reducer, {Ints({3, 2})});
  Add(*reducer, {Ints({1, 0})});
  CHECK(ValuesOf(Finish(*reducer).rows, 0) ==
        std::vector{Value::Int(5), Value::Int(4), Value::Int(3)});
}

TEST_CASE("without any block an aggregation has one row, groups and selections have none") {
  plan::QueryPlan plan = GroupPlan();
  CHECK(Finish(*MakeReducer(plan)).rows.rows == 0);
  plan.leaf.shape = plan::QueryShape::kAggregate;
  plan.leaf.keys.clear();
  plan.reduce.output = {Leaf(0, DataType::kLong)};
  plan.reduce.output_names = {"count(*)"};
  plan.reduce.output_types = {{DataType::kLong, false}};
  CHECK(ValuesOf(Finish(*MakeReducer(plan)).rows, 0) == std::vector{Value::Long(0)});
  const ResultTable selection = Finish(*MakeReducer(OrderedPlan(true, false)));
  CHECK(selection.rows.rows == 0);
  REQUIRE(selection.rows.columns.size() == 1);
  CHECK(selection.rows.columns[0].type() == DataType::kInt);
}

TEST_CASE("DISTINCT keeps one row of each") {
  plan::QueryPlan plan = GroupPlan();
  plan.leaf.shape = plan::QueryShape::kDistinct;
  plan.leaf.aggregates.clear();
  plan.reduce.output.pop_back();
  plan.reduce.output_names.pop_back();
  plan.reduce.output_types.pop_back();
  const auto reducer = MakeReducer(plan);
  Add(*reducer, {Strings({"a", "b"})});
  Add(*reducer, {Strings({"b", "a"})});
  CHECK(Finish(*reducer).rows.rows == 2);
}

TEST_CASE("blocks that do not fit the plan are refused") {
  const auto refused = [](const plan::QueryPlan& plan, Block block) {
    const auto reducer = MakeReducer(plan);
    const Status status = reducer->Add(std::move(block));
    INFO(status.message());
    return status.IsCorrupt();
  };
  const plan::QueryPlan selection = OrderedPlan(true, false);
  CHECK(refused(selection, MakeBlock({Ints({1})})));
  CHECK(refused(selection, MakeBlock({Ints({1}), Strings({"x"})})));
  ColumnVector arrays(ValueType{DataType::kInt, true});
  arrays.Append(Value::Array(DataType::kInt, {Value::Int(1)}));
  CHECK(refused(selection, MakeBlock({Ints({1}), arrays})));
  CHECK(refused(selection, MakeBlock({Ints({1, 2}), Ints({1})})));
  CHECK(refused(GroupPlan(), MakeBlock({Strings({"a"})})));
  CHECK(refused(GroupPlan(), MakeBlock({Longs({1}), Longs({1})})));
  CHECK(refused(GroupPlan(), MakeBlock({Strings({"a"}), Strings({"x"})})));
  CHECK(refused(GroupPlan(), MakeBlock({Strings({"a", "b"}), Longs({1})})));
}

TEST_CASE("an aggregation that is none is refused when the reducer is made") {
  plan::QueryPlan plan = GroupPlan();
  plan.leaf.aggregates[0].function = "nosuch";
  CHECK_FALSE(Reducer::Create(plan).ok());
}

}  // namespace trellis::broker
