#include "common/grouping/group_table.h"

#include <catch2/catch.hpp>
#include <map>

namespace trellis {
namespace {

using Functions = std::vector<std::shared_ptr<const aggregate::AggregateFunction>>;

std::shared_ptr<const aggregate::AggregateFunction> Function(const std::string& name,
                                                             std::vector<ValueType> types) {
  auto function = aggregate::ResolveAggregate({name, std::move(types), {}, true});
  INFO(function.status().message());
  REQUIRE(function.ok());
  return *function;
}

Functions CountAndSum() {
  return {Function("count", {}), Function("avg", {{DataType::kLong, false}})};
}

ColumnVector Column(DataType type, const std::vector<Value>& values) {
  ColumnVector column(type);
  for (const Value& value : values) column.Append(value);
  return column;
}
ColumnVector Longs(const std::vector<int64_t>& values) {
  ColumnVector column(DataType::kLong);
  for (const int64_t value : values) column.Append(Value::Long(value));
  return column;
}
ColumnVector Strings(const std::vector<std::string>& values) {
  ColumnVector column(DataType::kString);
  for (const std::string& value : values) column.Append(Value::String(value));
  return column;
}

std::vector<uint32_t> Find(GroupTable& table, const std::vector<ColumnVector>& keys) {
  std::vector<const ColumnVector*> pointers;
  for (const ColumnVector& key : keys) pointers.push_back(&key);
  std::vector<uint32_t> groups;
  table.FindGroups(pointers, keys.at(0).size(), groups);
  return groups;
}

// Adds rows of one STRING key with one LONG argument.
void AddRows(GroupTable& table, const std::vector<std::string>& keys,
             const std::vector<int64_t>& values) {
  const auto groups = Find(table, {Strings(keys)});
  table.ResizeStates();
  const ColumnVector argument = Longs(values);
  const ColumnVector* arguments[] = {&argument};
  const aggregate::RowsToGroups rows{keys.size(), nullptr, groups.data()};
  REQUIRE(table.states(0).Add({}, rows).ok());
  REQUIRE(table.states(1).Add(arguments, rows).ok());
}

GroupTable StringGroups(size_t groups_max = 100) {
  return GroupTable({{DataType::kString, false}}, CountAndSum(), true, groups_max);
}

Block Finish(const GroupTable& table) {
  auto block = table.Finish();
  INFO(block.status().message());
  REQUIRE(block.ok());
  return std::move(*block);
}

// key -> {count, average}
std::map<std::string, std::pair<int64_t, double>> Answer(const GroupTable& table) {
  const Block block = Finish(table);
  std::map<std::string, std::pair<int64_t, double>> answer;
  for (size_t row = 0; row < block.rows; ++row) {
    answer[block.columns.at(0).Get(row).bytes()] = {block.columns.at(1).Get(row).int64(),
                                                    block.columns.at(2).Get(row).float64()};
  }
  return answer;
}

}  // namespace

TEST_CASE("equal keys are one group, numbered by first appearance") {
  GroupTable table = StringGroups();
  CHECK(Find(table, {Strings({"b", "a", "b"})}) == std::vector<uint32_t>{0, 1, 0});
  CHECK(Find(table, {Strings({"a", "c"})}) == std::vector<uint32_t>{1, 2});
  CHECK(table.size() == 3);
}

TEST_CASE("keys of several columns do not run into each other") {
  GroupTable table({{DataType::kString, false}, {DataType::kString, false}}, {}, true, 100);
  CHECK(Find(table, {Strings({"ab", "a", ""}), Strings({"c", "bc", "abc"})}) ==
        std::vector<uint32_t>{0, 1, 2});
}

TEST_CASE("a lone string key is told apart by all of its bytes") {
  GroupTable table({{DataType::kString, false}}, {}, false, 100);
  CHECK(Find(table, {Strings({"", std::string(1, '\0'), "a", std::string("a\0", 2), "", "a"})}) ==
        std::vector<uint32_t>{0, 1, 2, 3, 0, 2});
  CHECK(Find(table, {ColumnVector::Constant(Value::String("a"), 2)}) ==
        std::vector<uint32_t>{2, 2});
  CHECK(Finish(table).columns.at(0).Get(3) == Value::String(std::string("a\0", 2)));
}

TEST_CASE("a null is a key of its own where nulls count, else its stored value") {
  ColumnVector keys = Longs({7, 7, 7});
  keys.SetNull(1);
  GroupTable with({{DataType::kLong, false}}, {}, true, 100);
  CHECK(Find(with, {keys}) == std::vector<uint32_t>{0, 1, 0});
  CHECK(Finish(with).columns.at(0).is_null(1));
  GroupTable without({{DataType::kLong, false}}, {}, false, 100);
  CHECK(Find(without, {keys}) == std::vector<uint32_t>{0, 0, 0});
  GroupTable first_null({{DataType::kLong, false}}, {}, false, 100);
  ColumnVector null_first = Longs({7});
  null_first.SetNull(0);
  Find(first_null, {null_first});
  CHECK(Finish(first_null).columns.at(0).Get(0) == Value::Long(7));
}

TEST_CASE("a constant key is one group for all rows") {
  GroupTable table({{DataType::kLong, false}}, {}, true, 100);
  CHECK(Find(table, {ColumnVector::Constant(Value::Long(3), 4)}) ==
        std::vector<uint32_t>{0, 0, 0, 0});
}

TEST_CASE("beyond groups_max new keys are dropped and known ones go on") {
  GroupTable table = StringGroups(2);
  CHECK(Find(table, {Strings({"a", "b"})}) == std::vector<uint32_t>{0, 1});
  CHECK_FALSE(table.limit_reached());
  CHECK(Find(table, {Strings({"c", "a"})}) == std::vector<uint32_t>{GroupTable::kNoGroup, 0});
  CHECK(table.limit_reached());
  CHECK(table.size() == 2);
}

TEST_CASE("an exported table merged into another answers as if all rows were in one") {
  GroupTable left = StringGroups();
  AddRows(left, {"a", "b", "a"}, {1, 2, 3});
  GroupTable right = StringGroups();
  AddRows(right, {"c", "a"}, {10, 5});
  GroupTable merged = StringGroups();
  REQUIRE(merged.Merge(left.Export()).ok());
  REQUIRE(merged.Merge(right.Export()).ok());
  GroupTable one = StringGroups();
  AddRows(one, {"a", "b", "a", "c", "a"}, {1, 2, 3, 10, 5});
  CHECK(Answer(merged) == Answer(one));
  CHECK(Answer(merged).at("a") == std::pair<int64_t, double>{3, 3.0});
}

TEST_CASE("merging over the limit keeps the states of known groups right") {
  GroupTable source = StringGroups();
  AddRows(source, {"x", "a", "y"}, {100, 4, 200});
  GroupTable table = StringGroups(1);
  AddRows(table, {"a"}, {2});
  REQUIRE(table.Merge(source.Export()).ok());
  CHECK(table.limit_reached());
  const std::map<std::string, std::pair<int64_t, double>> expected{{"a", {2, 3.0}}};
  CHECK(Answer(table) == expected);
}

TEST_CASE("null keys travel") {
  GroupTable source({{DataType::kLong, false}}, {Function("count", {})}, true, 100);
  ColumnVector keys = Column(DataType::kLong, {Value::Null(DataType::kLong), Value::Long(0)});
  const auto groups = Find(source, {keys});
  source.ResizeStates();
  REQUIRE(source.states(0).Add({}, {2, nullptr, groups.data()}).ok());
  GroupTable target({{DataType::kLong, false}}, {Function("count", {})}, true, 100);
  REQUIRE(target.Merge(source.Export()).ok());
  REQUIRE(target.Merge(source.Export()).ok());
  const Block block = Finish(target);
  REQUIRE(block.rows == 2);
  CHECK(block.columns.at(0).is_null(0));
  CHECK(block.columns.at(1).Get(0) == Value::Long(2));
}

TEST_CASE("a table without keys is one group, filled or not") {
  GroupTable table({}, {Function("count", {})}, true, 100);
  table.EnsureSingleGroup();
  table.ResizeStates();
  CHECK(Finish(table).columns.at(0).Get(0) == Value::Long(0));
  Block block;
  block.rows = 2;
  block.columns = {Longs({3, 4})};
  REQUIRE(table.Merge(block).ok());
  CHECK(Finish(table).columns.at(0).Get(0) == Value::Long(7));
}

TEST_CASE("blocks that are no export of this table are refused") {
  const auto corrupt = [](std::vector<ColumnVector> columns, size_t rows) {
    GroupTable table = StringGroups();
    Block block;
    block.rows = rows;
    block.columns = std::move(columns);
    const Status status = table.Merge(block);
    INFO(status.message());
    return status.IsCorrupt();
  };
  GroupTable good = StringGroups();
  AddRows(good, {"a"}, {1});
  const Block exported = good.Export();
  const ColumnVector& key = exported.columns[0];
  const ColumnVector& count = exported.columns[1];
  const ColumnVector& average = exported.columns[2];
  CHECK_FALSE(corrupt({key, count, average}, 1));
  CHECK(corrupt({}, 0));
  CHECK(corrupt({key, count}, 1));
  CHECK(corrupt({key, count, average, average}, 1));
  CHECK(corrupt({Longs({1}), count, average}, 1));    // key of another type
  CHECK(corrupt({key, Strings({"x"}), average}, 1));  // state of another type
  CHECK(corrupt({key, count, average}, 2));           // too few values for the rows
  CHECK(corrupt({key, Longs({1, 2}), average}, 1));   // too many
  CHECK(corrupt({key, count, Column(DataType::kBytes, {Value::Bytes(DataType::kBytes, "?")})}, 1));
  ColumnVector arrays(ValueType{DataType::kString, true});
  arrays.Append(Value::Array(DataType::kString, {Value::String("a")}));
  CHECK(corrupt({arrays, count, average}, 1));
}

TEST_CASE("memory grows with the groups") {
  GroupTable table = StringGroups(100'000);
  const size_t before = table.memory_bytes();
  std::vector<std::string> keys;
  for (int i = 0; i < 10'000; ++i) keys.push_back("key number " + std::to_string(i));
  AddRows(table, keys, std::vector<int64_t>(keys.size(), 1));
  CHECK(table.memory_bytes() > before + 10'000 * sizeof(int64_t));
}

}  // namespace trellis
