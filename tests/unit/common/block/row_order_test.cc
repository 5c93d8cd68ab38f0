#include "common/block/row_order.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/types/big_decimal.h"

namespace trellis {
namespace {

Block OneColumn(DataType type, const std::vector<Value>& values) {
  Block block;
  block.rows = values.size();
  block.columns.emplace_back(type);
  for (const Value& value : values) block.columns[0].Append(value);
  return block;
}

std::vector<uint32_t> Ascending(const Block& block, bool null_handling = true) {
  const SortKey key{0, true, false};
  return SortedRows(block, {&key, 1}, null_handling, block.rows);
}

Value Decimal(const char* text) {
  auto value = ParseValue(text, DataType::kBigDecimal);
  REQUIRE(value.ok());
  return *value;
}

// Requires that rows given from largest to smallest are sorted into the opposite order.
void CheckOrder(DataType type, const std::vector<Value>& descending) {
  INFO(DataTypeName(type));
  const Block block = OneColumn(type, descending);
  std::vector<uint32_t> expected(descending.size());
  std::iota(expected.rbegin(), expected.rend(), 0);
  CHECK(Ascending(block) == expected);
  const SortKey key{0, false, false};
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(SortedRows(block, {&key, 1}, true, block.rows) == expected);
}

}  // namespace

TEST_CASE("values of every type have their own order") {
  CheckOrder(DataType::kInt, {Value::Int(5), Value::Int(0), Value::Int(-7)});
  CheckOrder(DataType::kLong,
             {Value::Long(INT64_MAX), Value::Long(INT64_MAX - 1), Value::Long(INT64_MIN)});
  CheckOrder(DataType::kBoolean, {Value::Boolean(true), Value::Boolean(false)});
  CheckOrder(DataType::kTimestamp, {Value::Timestamp(1), Value::Timestamp(-1)});
  CheckOrder(DataType::kBytes, {Value::Bytes(DataType::kBytes, "\xff"),
                                Value::Bytes(DataType::kBytes, std::string("\x01\x00", 2)),
                                Value::Bytes(DataType::kBytes, "\x01")});
  CheckOrder(DataType::kBigDecimal, {Decimal("10"), Decimal("9.5"), Decimal("-100")});
}

TEST_CASE("floating numbers stand in Java's order: NaN above all, -0.0 below 0.0") {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  CheckOrder(DataType::kDouble, {Value::Double(nan), Value::Double(infinity), Value::Double(0.0),
                                 Value::Double(-0.0), Value::Double(-infinity)});
  CheckOrder(DataType::kFloat, {Value::Float(std::nanf("")), Value::Float(1.0F), Value::Float(0.0F),
                                Value::Float(-0.0F)});
}

TEST_CASE("text stands in UTF-16 order, which is not the order of its bytes") {
  // U+FFFD is above a surrogate pair's first unit in UTF-16, U+1F600 is above it in UTF-8.
  CheckOrder(DataType::kString, {Value::String("\xef\xbf\xbd"), Value::String("\xf0\x9f\x98\x80"),
                                 Value::String("b"), Value::String("B"), Value::String("")});
  CheckOrder(DataType::kJson, {Value::String("{\"b\":1}"), Value::String("{\"a\":1}")});
}

TEST_CASE("decimals of one value and two scales are equal") {
  const Block block = OneColumn(DataType::kBigDecimal, {Decimal("1.00"), Decimal("1.0")});
  CHECK(CompareRows(block.columns[0], 0, block.columns[0], 1) == 0);
}

TEST_CASE("equal rows keep their order, with and without a limit") {
  std::vector<Value> values;
  for (int i = 0; i < 300; ++i) values.push_back(Value::Int(i % 3));
  const Block block = OneColumn(DataType::kInt, values);
  const auto rows = Ascending(block);
  REQUIRE(rows.size() == 300);
  for (size_t i = 1; i < rows.size(); ++i) {
    const bool same = rows[i - 1] % 3 == rows[i] % 3;
    CHECK((same ? rows[i - 1] < rows[i] : rows[i - 1] % 3 < rows[i] % 3));
  }
  for (const size_t limit : {0, 1, 100, 101, 299, 300, 1000}) {
    const SortKey key{0, true, false};
    const auto some = SortedRows(block, {&key, 1}, true, limit);
    INFO("limit " << limit);
    CHECK(some == std::vector(rows.begin(), rows.begin() + std::min<ptrdiff_t>(limit, 300)));
  }
}

TEST_CASE("nulls stand first or last, whatever the direction, and are equal to each other") {
  const Value null = Value::Null(DataType::kInt);
  const Block block = OneColumn(DataType::kInt, {null, Value::Int(2), null, Value::Int(1)});
  const auto sorted = [&](bool ascending, bool nulls_first, bool null_handling = true) {
    const SortKey key{0, ascending, nulls_first};
    return SortedRows(block, {&key, 1}, null_handling, 4);
  };
  CHECK(sorted(true, true) == std::vector<uint32_t>{0, 2, 3, 1});
  CHECK(sorted(true, false) == std::vector<uint32_t>{3, 1, 0, 2});
  CHECK(sorted(false, true) == std::vector<uint32_t>{0, 2, 1, 3});
  CHECK(sorted(false, false) == std::vector<uint32_t>{1, 3, 0, 2});
  // Without null handling the value under the null decides.
  Block stored = OneColumn(DataType::kInt, {Value::Int(9), Value::Int(2)});
  stored.columns[0].SetNull(0);
  const SortKey key{0, true, true};
  CHECK(SortedRows(stored, {&key, 1}, false, 2) == std::vector<uint32_t>{1, 0});
  CHECK(SortedRows(stored, {&key, 1}, true, 2) == std::vector<uint32_t>{0, 1});
}

TEST_CASE("a later key decides between rows that earlier keys call equal") {
  Block block = OneColumn(DataType::kInt, {Value::Int(1), Value::Int(0), Value::Int(1)});
  block.columns.emplace_back(DataType::kString);
  for (const char* text : {"a", "z", "b"}) block.columns[1].Append(Value::String(text));
  const std::vector<SortKey> keys{{0, true, false}, {1, false, false}};
  CHECK(SortedRows(block, keys, true, 3) == std::vector<uint32_t>{1, 2, 0});
}

TEST_CASE("a constant column decides nothing") {
  Block block;
  block.rows = 3;
  block.columns.push_back(ColumnVector::Constant(Value::Int(4), 3));
  CHECK(Ascending(block) == std::vector<uint32_t>{0, 1, 2});
}

TEST_CASE("taken rows and appended blocks own their text") {
  Block appended;
  {
    const Block block = OneColumn(
        DataType::kString, {Value::String(std::string(100, 'a')), Value::Null(DataType::kString),
                            Value::String(std::string(100, 'c'))});
    const std::vector<uint32_t> rows{2, 1};
    AppendBlock(appended, TakeRows(block, rows));
    AppendBlock(appended, TakeRows(block, std::vector<uint32_t>{0}));
  }
  REQUIRE(appended.rows == 3);
  CHECK(appended.columns.at(0).Get(0) == Value::String(std::string(100, 'c')));
  CHECK(appended.columns.at(0).Get(1).is_null());
  CHECK(appended.columns.at(0).Get(2) == Value::String(std::string(100, 'a')));
}

}  // namespace trellis
