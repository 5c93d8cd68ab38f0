#include <cmath>
#include <limits>

#include "tests/unit/common/aggregate/aggregate_builders.h"

namespace trellis::aggregate {
namespace {

constexpr ValueType kIntColumn{DataType::kInt, false};
constexpr ValueType kLongColumn{DataType::kLong, false};
constexpr ValueType kDoubleColumn{DataType::kDouble, false};
constexpr ValueType kIntsColumn{DataType::kInt, true};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ColumnVector IntsWithNull() {
  return Column(kIntColumn,
                {Value::Int(4), Value::Null(DataType::kInt), Value::Int(-6), Value::Int(5)});
}

TEST_CASE("count counts rows, and non-null rows only under null handling") {
  CHECK(Aggregation("count", {kIntColumn}).Run({IntsWithNull()})[0] == Value::Long(4));
  CHECK(Aggregation("count", {kIntColumn}, {}, true).Run({IntsWithNull()})[0] == Value::Long(3));
  CHECK(Aggregation("count", {}).Run({IntsWithNull()})[0] == Value::Long(4));
  CHECK(Aggregation("count", {}).RunMerged({IntsWithNull()}, 1, 2, {0, 1, 1, 1}) ==
        std::vector<Value>{Value::Long(1), Value::Long(3)});
  CHECK(Aggregation("count", {kIntColumn}, {}, true).Run({Ints({})})[0] == Value::Long(0));
}

TEST_CASE("count of a NULL literal counts rows even under null handling") {
  const ColumnVector literal = ColumnVector::Constant(Value::Null(DataType::kInt), 7);
  CHECK(Aggregation("count", {kIntColumn}, {}, true).Run({literal})[0] == Value::Long(7));
}

TEST_CASE("countmv counts elements and adds up single values") {
  const ColumnVector arrays = Column(
      kIntsColumn, {IntArray({1, 2, 3}), Value::Null(DataType::kInt), IntArray({9}), IntArray({})});
  CHECK(Aggregation("countmv", {kIntsColumn}, {}, true).Run({arrays})[0] == Value::Long(4));
  CHECK(Aggregation("countmv", {kIntColumn}).Run({Ints({3, 4})})[0] == Value::Long(7));
}

TEST_CASE("sum, min, max and avg answer as doubles") {
  const std::vector<ColumnVector> rows{Ints({4, 0, -6, 5})};
  CHECK(Aggregation("sum", {kIntColumn}).Run(rows)[0] == Value::Double(3));
  CHECK(Aggregation("min", {kIntColumn}).Run(rows)[0] == Value::Double(-6));
  CHECK(Aggregation("max", {kIntColumn}).Run(rows)[0] == Value::Double(5));
  CHECK(Aggregation("avg", {kIntColumn}).Run(rows)[0] == Value::Double(0.75));
  CHECK(Aggregation("minmaxrange", {kIntColumn}).Run(rows)[0] == Value::Double(11));
}

TEST_CASE("nothing added gives Pinot's empty values, and NULL under null handling") {
  const auto empty = [](const char* function, bool null_handling) {
    return Aggregation(function, {kIntColumn}, {}, null_handling).Run({Ints({})})[0];
  };
  CHECK(empty("sum", false) == Value::Double(0));
  CHECK(empty("min", false) == Value::Double(kInfinity));
  CHECK(empty("max", false) == Value::Double(-kInfinity));
  CHECK(empty("avg", false) == Value::Double(-kInfinity));
  CHECK(empty("minmaxrange", false) == Value::Double(-kInfinity));
  CHECK(empty("sumlong", false) == Value::Long(0));
  CHECK(empty("minlong", false) == Value::Long(std::numeric_limits<int64_t>::max()));
  CHECK(empty("maxlong", false) == Value::Long(std::numeric_limits<int64_t>::min()));
  for (const char* function :
       {"sum", "min", "max", "avg", "minmaxrange", "sumint", "sumlong", "minlong", "maxlong"}) {
    CAPTURE(function);
    CHECK(empty(function, true).is_null());
    const std::vector<Value> merged = Aggregation(function, {kIntColumn}, {}, true)
                                          .RunMerged({IntsWithNull()}, 2, 3, {0, 1, 2, 2});
    CHECK_FALSE(merged[0].is_null());
    CHECK(merged[1].is_null());
    CHECK_FALSE(merged[2].is_null());
  }
}

TEST_CASE("null rows are skipped under null handling and their defaults counted without") {
  ColumnVector column = IntsWithNull();
  column.values<int32_t>()[1] = std::numeric_limits<int32_t>::min();
  CHECK(Aggregation("sum", {kIntColumn}, {}, true).Run({column})[0] == Value::Double(3));
  CHECK(Aggregation("min", {kIntColumn}, {}, true).Run({column})[0] == Value::Double(-6));
  CHECK(Aggregation("avg", {kIntColumn}, {}, true).Run({column})[0] == Value::Double(1));
  CHECK(Aggregation("min", {kIntColumn}).Run({column})[0] == Value::Double(-2147483648.0));
}

TEST_CASE("folds over parts that travelled equal folds over all rows") {
  for (const char* function :
       {"count", "sum", "min", "max", "avg", "minmaxrange", "sumlong", "minlong", "maxlong"}) {
    CAPTURE(function);
    const std::vector<ColumnVector> rows{Longs({7, -3, 1LL << 40, 12, 0, 5})};
    const std::vector<uint32_t> groups{0, 1, 0, 2, 1, 1};
    for (const bool null_handling : {false, true}) {
      const Aggregation aggregation(function, {kLongColumn}, {}, null_handling);
      for (size_t cut = 0; cut <= 6; ++cut) {
        CHECK(aggregation.RunMerged(rows, cut) == aggregation.Run(rows));
        CHECK(aggregation.RunMerged(rows, cut, 4, groups) == aggregation.Run(rows, 4, groups));
      }
    }
  }
}

TEST_CASE("a sum adds left to right within a batch, and batches to the running sum") {
  const Aggregation sum("sum", {kDoubleColumn});
  auto states = sum.function().NewStates();
  states->Resize(1);
  const ColumnVector first = Doubles({1e16, 1});
  const ColumnVector second = Doubles({1, 1});
  for (const ColumnVector* batch : {&first, &second}) {
    REQUIRE(states->Add({&batch, 1}, {2, nullptr, nullptr}).ok());
  }
  ColumnVector out;
  REQUIRE(states->Finish(out).ok());
  CHECK(out.Get(0) == Value::Double((1e16 + 1) + 2.0));
}

TEST_CASE("multi-value columns contribute every element") {
  const ColumnVector arrays = Column(kIntsColumn, {IntArray({1, 2}), IntArray({}), IntArray({10})});
  CHECK(Aggregation("sum", {kIntsColumn}).Run({arrays})[0] == Value::Double(13));
  CHECK(Aggregation("max", {kIntsColumn}).Run({arrays})[0] == Value::Double(10));
  CHECK(Aggregation("avg", {kIntsColumn}).Run({arrays}, 2, {0, 0, 1}) ==
        std::vector<Value>{Value::Double(1.5), Value::Double(10)});
}

TEST_CASE("a constant argument counts once a row") {
  const ColumnVector five = ColumnVector::Constant(Value::Int(5), 4);
  CHECK(Aggregation("sum", {kIntColumn}).Run({five})[0] == Value::Double(20));
  CHECK(Aggregation("sum", {kIntColumn}).Run({five}, 2, {0, 1, 1, 1}) ==
        std::vector<Value>{Value::Double(5), Value::Double(15)});
}

TEST_CASE("one running min keeps NaN, one of many groups ignores it") {
  const std::vector<ColumnVector> rows{Doubles({2, std::nan(""), 1})};
  CHECK(std::isnan(Aggregation("min", {kDoubleColumn}).Run(rows)[0].float64()));
  CHECK(Aggregation("min", {kDoubleColumn}).Run(rows, 1, {0, 0, 0})[0] == Value::Double(1));
}

TEST_CASE("sumlong wraps as Java's long does") {
  const int64_t max = std::numeric_limits<int64_t>::max();
  CHECK(Aggregation("sumlong", {kLongColumn}).Run({Longs({max, 1})})[0] ==
        Value::Long(std::numeric_limits<int64_t>::min()));
}

TEST_CASE("text is refused in Pinot's words") {
  const auto refused = ResolveAggregate({"sum", {{DataType::kString, false}}, {}, false});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().message() == "Cannot compute sum for non-numeric type: STRING");
  CHECK(refused.status().pinot_code() == PinotCode::kQueryValidation);
}

TEST_CASE("states of a wrong type, length or count are corrupt") {
  const Aggregation avg("avg", {kIntColumn});
  const std::string good = avg.StateOf({Ints({1, 2})}).bytes();
  CHECK(avg.MergeBytes(good).ok());
  for (size_t size = 0; size < good.size(); ++size)
    CHECK(avg.MergeBytes(good.substr(0, size)).IsCorrupt());
  CHECK(avg.MergeBytes(good + "x").IsCorrupt());
  std::string negative = good;
  negative.back() = '\xff';
  CHECK(avg.MergeBytes(negative).IsCorrupt());
  CHECK(Aggregation("sum", {kIntColumn}).MergeBytes(good).IsCorrupt());

  auto states = avg.function().NewStates();
  states->Resize(2);
  const std::vector<uint32_t> two{0, 1};
  CHECK(
      states->Merge(Column({DataType::kBytes, false}, {Value::Bytes(DataType::kBytes, good)}), two)
          .IsCorrupt());
}

}  // namespace
}  // namespace trellis::aggregate
