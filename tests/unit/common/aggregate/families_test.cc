#include <cmath>
#include <limits>

#include "tests/unit/common/aggregate/aggregate_builders.h"

namespace trellis::aggregate {
namespace {

constexpr ValueType kIntColumn{DataType::kInt, false};
constexpr ValueType kLongColumn{DataType::kLong, false};
constexpr ValueType kDoubleColumn{DataType::kDouble, false};
constexpr ValueType kStringColumn{DataType::kString, false};

Value One(const std::string& function, const ColumnVector& column,
          std::vector<Value> parameters = {}) {
  return Aggregation(function, {column.value_type()}, std::move(parameters)).Run({column})[0];
}

Status Refusal(const std::string& function, std::vector<ValueType> types,
               std::vector<Value> parameters = {}) {
  return ResolveAggregate({function, std::move(types), std::move(parameters), false}).status();
}

TEST_CASE("distinct values are told apart as Java's boxed types are") {
  CHECK(One("distinctcount", Doubles({0.0, -0.0, std::nan(""), -std::nan("1"), 1})) ==
        Value::Int(4));
  CHECK(One("distinctcount", Strings({"a", "", "a", "b"})) == Value::Int(3));
  CHECK(One("distinctsum", Ints({4, 4, -1})) == Value::Double(3));
  CHECK(One("distinctavg", Ints({4, 4, -1})) == Value::Double(1.5));
  const ColumnVector arrays = Column({DataType::kInt, true}, {IntArray({1, 2}), IntArray({2, 3})});
  CHECK(One("distinctcount", arrays) == Value::Int(3));
  CHECK(Refusal("distinctsum", {kStringColumn}).message() ==
        "Cannot compute distinctsum for non-numeric type: STRING");
}

TEST_CASE("a whole MAP has no value that an aggregation could tell apart or give") {
  for (const DataType type : {DataType::kMap, DataType::kOpenStruct}) {
    for (const char* function : {"distinctcount", "distinctcounthll", "anyvalue"}) {
      INFO(function);
      CHECK(Refusal(function, {{type, false}}).message() ==
            fmt::format("Cannot compute {} for type: {}", function, DataTypeName(type)));
    }
    CHECK(Refusal("count", {{type, false}}).ok());
  }
}

TEST_CASE("mode breaks ties by its reducer") {
  const ColumnVector rows = Ints({5, -2, 5, -2, 9});
  CHECK(One("mode", rows) == Value::Double(-2));
  CHECK(One("mode", rows, {Value::String("MAX")}) == Value::Double(5));
  CHECK(One("mode", rows, {Value::String("AVG")}) == Value::Double(1.5));
  CHECK_FALSE(Refusal("mode", {kIntColumn}, {Value::String("max")}).ok());
  CHECK_FALSE(Refusal("mode", {kStringColumn}).ok());
}

TEST_CASE("percentile takes an element, without interpolation") {
  const ColumnVector rows = Ints({40, 10, 30, 20});
  CHECK(One("percentile", rows, {Value::Int(0)}) == Value::Double(10));
  CHECK(One("percentile", rows, {Value::Int(50)}) == Value::Double(30));
  CHECK(One("percentile", rows, {Value::Double(49.9)}) == Value::Double(20));
  CHECK(One("percentile", rows, {Value::Int(100)}) == Value::Double(40));
  CHECK(std::isnan(One("percentile", Doubles({1, std::nan(""), 2}), {Value::Int(100)}).float64()));
  CHECK_FALSE(Refusal("percentile", {kIntColumn}, {Value::Int(101)}).ok());
  CHECK_FALSE(Refusal("percentile", {kIntColumn}, {Value::Double(std::nan(""))}).ok());
  CHECK_FALSE(Refusal("percentile", {kIntColumn}, {Value::String("x")}).ok());
}

TEST_CASE("variances and deviations divide by n or by n-1") {
  const ColumnVector rows = Ints({2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(One("varpop", rows) == Value::Double(4));
  CHECK(One("stddevpop", rows) == Value::Double(2));
  CHECK(One("varsamp", rows).float64() == Approx(32.0 / 7));
  CHECK(One("stddevsamp", rows).float64() == Approx(std::sqrt(32.0 / 7)));
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(Aggregation("varsamp", {kIntColumn}, {}, true).Run({Ints({3})})[0] ==
        Value::Double(-infinity));
}

TEST_CASE("skewness and kurtosis are bias-corrected") {
  const ColumnVector rows = Ints({1, 2, 3, 4, 10});
  CHECK(One("skewness", rows).float64() == Approx(1.6970562748477143));
  CHECK(One("kurtosis", rows).float64() == Approx(3.152));
  CHECK(std::isnan(One("skewness", Ints({1, 2})).float64()));
  CHECK(One("kurtosis", Ints({7, 7, 7, 7})) == Value::Double(0));
}

TEST_CASE("covariance needs both arguments") {
  const ColumnVector x = Ints({1, 2, 3});
  const ColumnVector y =
      Column(kDoubleColumn, {Value::Double(2), Value::Double(4), Value::Null(DataType::kDouble)});
  CHECK(Aggregation("covarpop", {kIntColumn, kDoubleColumn}, {}, true).Run({x, y})[0] ==
        Value::Double(0.5));
  CHECK(Aggregation("covarsamp", {kIntColumn, kDoubleColumn}, {}, true).Run({x, y})[0] ==
        Value::Double(1));
  CHECK(Aggregation("covarsamp", {kIntColumn, kDoubleColumn}, {}, true)
            .Run({Ints({1}), Doubles({1})})[0]
            .is_null());
}

TEST_CASE("string extremes are in UTF-16 order") {
  // U+FF5E is above the surrogates of U+1F680 in UTF-16, and below it in bytes.
  const ColumnVector rows = Strings({"\xf0\x9f\x9a\x80", "\xef\xbd\x9e", "z"});
  CHECK(One("maxstring", rows) == Value::String("\xef\xbd\x9e"));
  CHECK(One("minstring", rows) == Value::String("z"));
  CHECK_FALSE(Refusal("maxstring", {kIntColumn}).ok());
}

TEST_CASE("among rows of equal time the later one wins, among states the earlier one") {
  const std::vector<ColumnVector> rows{Ints({1, 2, 3, 4}), Longs({5, 5, 9, 9})};
  for (const auto& [function, within, across] :
       {std::tuple{"firstwithtime", 2, 2}, std::tuple{"lastwithtime", 4, 4}}) {
    const Aggregation aggregation(function, {kIntColumn, kLongColumn}, {Value::String("int")});
    CHECK(aggregation.Run(rows)[0] == Value::Int(within));
    CHECK(aggregation.RunMerged(rows, 2)[0] == Value::Int(across));
  }
  const Aggregation first("firstwithtime", {kIntColumn, kLongColumn}, {Value::String("INT")});
  const Aggregation last("lastwithtime", {kIntColumn, kLongColumn}, {Value::String("INT")});
  CHECK(first.RunMerged(rows, 1)[0] == Value::Int(1));
  CHECK(last.RunMerged(rows, 3)[0] == Value::Int(3));
  CHECK_FALSE(Refusal("lastwithtime", {kIntColumn, kLongColumn}, {Value::String("JSON")}).ok());
  CHECK_FALSE(Refusal("lastwithtime", {kStringColumn, kLongColumn}, {Value::String("INT")}).ok());
}

TEST_CASE("withtime reads a column as the named type") {
  const std::vector<ColumnVector> rows{Ints({41}), Ints({1})};
  CHECK(Aggregation("lastwithtime", {kIntColumn, kIntColumn}, {Value::String("DOUBLE")})
            .Run(rows)[0] == Value::Double(41));
  CHECK(Aggregation("lastwithtime", {kIntColumn, kIntColumn}, {Value::String("STRING")})
            .Run(rows)[0] == Value::String("41"));
}

TEST_CASE("bins are half-open but for the last") {
  const auto counts = [](std::vector<double> values) {
    std::vector<Value> elements;
    for (const double value : values) elements.push_back(Value::Double(value));
    return Value::Array(DataType::kDouble, elements);
  };
  const ColumnVector rows = Doubles({-1, 0, 2, 5, 9.99, 10, 10.01, std::nan("")});
  CHECK(One("histogram", rows, {Value::Int(0), Value::Int(10), Value::Int(2)}) == counts({2, 3}));
  const Value edges = Value::Array(DataType::kInt, {Value::Int(0), Value::Int(2), Value::Int(10)});
  CHECK(One("histogram", rows, {edges}) == counts({1, 4}));
  const Value falling = Value::Array(DataType::kInt, {Value::Int(2), Value::Int(2)});
  CHECK_FALSE(Refusal("histogram", {kIntColumn}, {falling}).ok());
  CHECK_FALSE(
      Refusal("histogram", {kIntColumn}, {Value::Int(0), Value::Int(1), Value::Int(0)}).ok());
  CHECK_FALSE(
      Refusal("histogram", {kIntColumn}, {Value::Int(0), Value::Int(1), Value::Int(1 << 30)}).ok());
}

TEST_CASE("arrays keep every value, or each once in the order met") {
  const ColumnVector rows = Strings({"b", "a", "b"});
  CHECK(One("arrayagg", rows, {Value::String("STRING")}).elements().size() == 3);
  CHECK(One("arrayagg", rows, {Value::String("STRING"), Value::Boolean(true)}) ==
        Value::Array(DataType::kString, {Value::String("b"), Value::String("a")}));
  CHECK(One("arrayagg", Ints({1}), {Value::String("LONG")}) ==
        Value::Array(DataType::kLong, {Value::Long(1)}));
  CHECK_FALSE(Refusal("arrayagg", {kIntColumn}, {Value::String("NUMBER")}).ok());
}

TEST_CASE("sumprecision is exact, keeps the largest scale and rounds half to even") {
  CHECK(One("sumprecision", Doubles({0.1, 0.2})) == Value::String("0.3"));
  CHECK(One("sumprecision", Strings({"1.10", "-0.1"})) == Value::String("1.00"));
  const int64_t max = std::numeric_limits<int64_t>::max();
  CHECK(One("sumprecision", Longs({max, max})) == Value::String("18446744073709551614"));
  CHECK(One("sumprecision", Strings({"1.25"}), {Value::Int(2)}) == Value::String("1.2"));
  CHECK(One("sumprecision", Strings({"1.35"}), {Value::Int(2)}) == Value::String("1.4"));
  CHECK(One("sumprecision", Strings({"-9.96"}), {Value::Int(2)}) == Value::String("-10"));
  CHECK(One("sumprecision", Strings({"1.5"}), {Value::Int(10), Value::Int(3)}) ==
        Value::String("1.500"));

  const Aggregation text("sumprecision", {kStringColumn});
  auto states = text.function().NewStates();
  states->Resize(1);
  const ColumnVector words = Strings({"one"});
  const ColumnVector* column = &words;
  CHECK_FALSE(states->Add({&column, 1}, {1, nullptr, nullptr}).ok());
}

TEST_CASE("logical aggregations take booleans only") {
  const ColumnVector rows =
      Column({DataType::kBoolean, false}, {Value::Boolean(true), Value::Null(DataType::kBoolean)});
  CHECK(Aggregation("booland", {rows.value_type()}, {}, true).Run({rows})[0] ==
        Value::Boolean(true));
  CHECK(One("booland", rows) == Value::Boolean(false));
  CHECK(One("boolor", rows) == Value::Boolean(true));
  CHECK_FALSE(Refusal("booland", {kIntColumn}).ok());
}

TEST_CASE("a sum of decimals is exact within a batch") {
  ColumnVector decimals(DataType::kBigDecimal);
  for (const char* text : {"0.1", "0.2", "10000000000000000000000", "-10000000000000000000000"}) {
    decimals.Append(*ParseValue(text, DataType::kBigDecimal));
  }
  CHECK(One("sum", decimals) == Value::Double(0.3));
  CHECK(One("max", decimals) == Value::Double(1e22));
}

TEST_CASE("bytes that are no decimal are corrupt") {
  const Aggregation sum("sum", {{DataType::kBigDecimal, false}});
  auto states = sum.function().NewStates();
  states->Resize(1);
  const ColumnVector bad =
      Column({DataType::kBigDecimal, false}, {Value::Bytes(DataType::kBigDecimal, "x")});
  const ColumnVector* column = &bad;
  const uint32_t group = 0;
  CHECK(states->Add({&column, 1}, {1, nullptr, nullptr}).IsCorrupt());
  CHECK(states->Add({&column, 1}, {1, nullptr, &group}).IsCorrupt());
}

}  // namespace
}  // namespace trellis::aggregate
