#include "broker/reduce/leaf_columns.h"

#include "tests/unit/broker/reduce/leaf_blocks.h"

namespace trellis::broker {
namespace {

std::vector<uint32_t> Having(const plan::Filter& filter, const Block& block,
                             bool null_handling = true) {
  auto rows = RowsHaving(filter, block, null_handling);
  INFO(rows.status().message());
  REQUIRE(rows.ok());
  return *rows;
}

Block LongsWithNull() {
  return MakeBlock(
      {Column(DataType::kLong, {Value::Long(1), Value::Null(DataType::kLong), Value::Long(9)})});
}

}  // namespace

TEST_CASE("#n is the block's n-th column, and every other name a fault of the plan") {
  const Block block = MakeBlock({Longs({1, 2}), Strings({"a", "b"})});
  LeafColumns columns(block);
  CHECK(columns.rows() == 2);
  REQUIRE(columns.Column("#1").ok());
  CHECK((*columns.Column("#1"))->Get(1) == Value::String("b"));
  for (const char* name : {"#2", "#-1", "#", "#x", "x", "", "#99999999999999999999"}) {
    INFO(name);
    CHECK(columns.Column(name).status().code() == StatusCode::kInternal);
  }
  CHECK(columns.MapKey("#0", "k", DataType::kLong).status().code() == StatusCode::kInternal);
}

TEST_CASE("an expression over the block has a value a row, a literal too") {
  const Block block = MakeBlock({Longs({1, 2, 3})});
  const plan::Expression sum = plan::Expression::Function(
      "plus", {DataType::kLong, false},
      {Leaf(0, DataType::kLong), plan::Expression::Literal(Value::Long(10))});
  const auto sums = EvaluateOver(sum, block, false);
  REQUIRE(sums.ok());
  REQUIRE(sums->size() == 3);
  CHECK(sums->Get(2) == Value::Long(13));
  const auto literal = EvaluateOver(plan::Expression::Literal(Value::Int(7)), block, false);
  REQUIRE(literal.ok());
  CHECK_FALSE(literal->is_constant());
  REQUIRE(literal->size() == 3);
  CHECK(literal->Get(2) == Value::Int(7));
}

TEST_CASE("HAVING is two-valued: a test of NULL is false and its NOT is true") {
  const Block block = LongsWithNull();
  const plan::Filter above = Greater(0, DataType::kLong, Value::Long(5));
  CHECK(Having(above, block) == std::vector<uint32_t>{2});
  CHECK(Having(plan::Filter::Not(above), block) == std::vector<uint32_t>{0, 1});
}

TEST_CASE("negated tests of NULL are false as well") {
  plan::Predicate predicate;
  predicate.kind = plan::Predicate::Kind::kNotEqual;
  predicate.subject = Leaf(0, DataType::kLong);
  predicate.values = {Value::Long(9)};
  CHECK(Having(plan::Filter::Of(predicate), LongsWithNull()) == std::vector<uint32_t>{0});
  predicate.kind = plan::Predicate::Kind::kNotIn;
  CHECK(Having(plan::Filter::Of(predicate), LongsWithNull()) == std::vector<uint32_t>{0});
}

TEST_CASE("null tests, AND, OR and constants combine") {
  const Block block = LongsWithNull();
  plan::Predicate null;
  null.kind = plan::Predicate::Kind::kIsNull;
  null.subject = Leaf(0, DataType::kLong);
  const plan::Filter is_null = plan::Filter::Of(null);
  null.kind = plan::Predicate::Kind::kIsNotNull;
  const plan::Filter is_not_null = plan::Filter::Of(null);
  const plan::Filter above = Greater(0, DataType::kLong, Value::Long(5));
  CHECK(Having(is_null, block) == std::vector<uint32_t>{1});
  CHECK(Having(is_not_null, block) == std::vector<uint32_t>{0, 2});
  CHECK(Having(plan::Filter::Or({is_null, above}), block) == std::vector<uint32_t>{1, 2});
  CHECK(Having(plan::Filter::And({is_not_null, above}), block) == std::vector<uint32_t>{2});
  CHECK(Having(plan::Filter::And({above, plan::Filter::False()}), block).empty());
  CHECK(Having(plan::Filter::Or({above, plan::Filter::True()}), block).size() == 3);
}

}  // namespace trellis::broker
