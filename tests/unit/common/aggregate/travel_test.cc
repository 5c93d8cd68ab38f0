// What must hold of every function: merged parts equal one pass, empty groups, hostile states.
#include <cmath>
#include <limits>

#include "tests/unit/common/aggregate/aggregate_builders.h"

namespace trellis::aggregate {
namespace {

struct Case {
  std::string function;
  std::vector<Value> parameters;
  std::vector<ColumnVector> columns;
  bool any_order = false;  // the answer is an array whose order is not promised
};

std::vector<ValueType> TypesOf(const std::vector<ColumnVector>& columns) {
  std::vector<ValueType> types;
  for (const ColumnVector& column : columns) types.push_back(column.value_type());
  return types;
}

ColumnVector Booleans(const std::vector<bool>& values) {
  ColumnVector column(DataType::kBoolean);
  for (const bool value : values) column.Append(Value::Boolean(value));
  return column;
}

std::vector<Case> Cases() {
  const ColumnVector ints = Ints({3, -7, 3, 12, 0, 12});
  const ColumnVector doubles = Doubles({0.5, -2, 0.5, 8, 4, 1});
  const ColumnVector strings = Strings({"b", "", "ab", "b", "\xf0\x9f\x9a\x80", "c"});
  const Value type_int = Value::String("INT");
  const Value type_string = Value::String("STRING");
  std::vector<Case> cases;
  for (const char* function :
       {"distinctcount", "distinctsum", "distinctavg", "mode", "sumprecision", "varpop", "varsamp",
        "stddevpop", "stddevsamp", "skewness", "kurtosis", "distinctcounthll",
        "distinctcountrawhll", "anyvalue"}) {
    cases.push_back({function, {}, {ints}});
    cases.push_back({function, {}, {doubles}});
  }
  for (const char* function : {"distinctcount", "distinctcounthll", "distinctcountrawhll",
                               "minstring", "maxstring", "anyvalue"}) {
    cases.push_back({function, {}, {strings}});
  }
  for (const char* function : {"covarpop", "covarsamp"})
    cases.push_back({function, {}, {ints, doubles}});
  cases.push_back({"mode", {Value::String("MAX")}, {ints}});
  cases.push_back({"mode", {Value::String("AVG")}, {ints}});
  cases.push_back({"percentile", {Value::Int(50)}, {doubles}});
  cases.push_back({"percentile", {Value::Double(99.9)}, {ints}});
  cases.push_back({"histogram", {Value::Int(0), Value::Int(12), Value::Int(4)}, {ints}});
  cases.push_back({"firstwithtime", {type_int}, {ints, doubles}});
  cases.push_back({"lastwithtime", {type_string}, {strings, Longs({5, 1, 9, 2, 3, 4})}});
  cases.push_back({"arrayagg", {type_int}, {ints}});
  cases.push_back({"arrayagg", {type_string, Value::String("true")}, {strings}});
  for (const char* function : {"booland", "boolor"}) {
    cases.push_back({function, {}, {Booleans({true, true, false, true, false, false})}});
  }
  return cases;
}

bool Same(const Value& a, const Value& b) {
  if (a.type() == DataType::kDouble && !a.is_null() && !b.is_null() && !a.is_array()) {
    const double x = a.float64();
    const double y = b.float64();
    return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-12 * std::abs(x);
  }
  return a == b;
}

void CheckSame(const std::vector<Value>& got, const std::vector<Value>& want) {
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(Same(got[i], want[i]));
  }
}

TEST_CASE("parts that travelled and were merged answer as one pass does") {
  for (const Case& c : Cases()) {
    CAPTURE(c.function, c.columns[0].type());
    for (const bool null_handling : {false, true}) {
      const Aggregation aggregation(c.function, TypesOf(c.columns), c.parameters, null_handling);
      const std::vector<uint32_t> groups{0, 2, 2, 0, 2, 0};
      for (size_t cut = 0; cut <= 6; ++cut) {
        CAPTURE(cut);
        CheckSame(aggregation.RunMerged(c.columns, cut), aggregation.Run(c.columns));
        CheckSame(aggregation.RunMerged(c.columns, cut, 3, groups),
                  aggregation.Run(c.columns, 3, groups));
      }
    }
  }
}

TEST_CASE("a group of null rows is as good as a group of no rows under null handling") {
  for (Case c : Cases()) {
    CAPTURE(c.function);
    ColumnVector nothing(c.columns[0].value_type());
    ColumnVector nulls(c.columns[0].value_type());
    for (int i = 0; i < 3; ++i) nulls.Append(Value::Null(c.columns[0].type()));
    std::vector<ColumnVector> empty = c.columns;
    empty[0] = nothing;
    std::vector<ColumnVector> all_null = c.columns;
    all_null[0] = nulls;
    const Aggregation aggregation(c.function, TypesOf(c.columns), c.parameters, true);
    CheckSame(aggregation.Run(all_null), aggregation.Run(empty));
    CheckSame(aggregation.Run(all_null, 1, {0, 0, 0}), aggregation.Run(empty));
    const Value state = aggregation.StateOf(all_null);
    CHECK(state.is_null());
  }
}

TEST_CASE("states cut short or grown are corrupt or whole, and never crash") {
  for (const Case& c : Cases()) {
    const Aggregation aggregation(c.function, TypesOf(c.columns), c.parameters);
    if (aggregation.function().state_type() != DataType::kBytes) continue;
    CAPTURE(c.function);
    const std::string good = aggregation.StateOf(c.columns).bytes();
    REQUIRE(aggregation.MergeBytes(good).ok());
    for (size_t size = 0; size < good.size(); ++size) {
      const Status status = aggregation.MergeBytes(good.substr(0, size));
      CHECK((status.ok() || status.IsCorrupt()));
    }
  }
}

TEST_CASE("fixed-size states of any other size are corrupt") {
  for (const char* function : {"varpop", "skewness", "distinctcounthll"}) {
    CAPTURE(function);
    const Aggregation aggregation(function, {{DataType::kInt, false}});
    const std::string good = aggregation.StateOf({Ints({1, 2, 5})}).bytes();
    for (size_t size = 0; size < good.size(); ++size) {
      CHECK(aggregation.MergeBytes(good.substr(0, size)).IsCorrupt());
    }
    CHECK(aggregation.MergeBytes(good + std::string(1, '\0')).IsCorrupt());
  }
}

TEST_CASE("a length that runs past the end of a state is corrupt") {
  const Aggregation strings("distinctcount", {{DataType::kString, false}});
  CHECK(strings.MergeBytes(std::string("\xff\xff\xff\xff", 4) + "a").IsCorrupt());
  CHECK(strings.MergeBytes(std::string("\x01\0\0\0", 4)).IsCorrupt());
  const Aggregation mode("mode", {{DataType::kInt, false}});
  CHECK(mode.MergeBytes(std::string(12, '\0')).IsCorrupt());  // a value counted zero times
}

TEST_CASE("nothing added gives Pinot's empty values") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto empty = [](const std::string& function, bool nulls,
                        std::vector<Value> parameters = {}) {
    return Aggregation(function, {{DataType::kInt, false}}, std::move(parameters), nulls)
        .Run({Ints({})})[0];
  };
  for (const char* function : {"mode", "varpop", "varsamp", "stddevpop", "stddevsamp"}) {
    CHECK(empty(function, false) == Value::Double(-infinity));
    CHECK(empty(function, true).is_null());
  }
  for (const char* function : {"distinctavg", "skewness", "kurtosis"}) {
    CHECK(std::isnan(empty(function, false).float64()));
    CHECK(empty(function, true).is_null());
  }
  CHECK(empty("distinctsum", false) == Value::Double(0));
  CHECK(empty("distinctsum", true).is_null());
  CHECK(empty("distinctcount", true) == Value::Int(0));
  CHECK(empty("distinctcounthll", true) == Value::Long(0));
  CHECK(empty("percentile", false, {Value::Int(5)}) == Value::Double(-infinity));
  CHECK(empty("percentile", true, {Value::Int(5)}).is_null());
  CHECK(empty("sumprecision", false) == Value::String("0"));
  CHECK(empty("sumprecision", true).is_null());
  CHECK(empty("anyvalue", false).is_null());
  CHECK(empty("arrayagg", true, {Value::String("INT")}) == Value::Array(DataType::kInt, {}));
  CHECK(empty("histogram", true, {Value::Int(0), Value::Int(1), Value::Int(2)}).is_null());
  CHECK(empty("histogram", false, {Value::Int(0), Value::Int(1), Value::Int(2)}) ==
        Value::Array(DataType::kDouble, {Value::Double(0), Value::Double(0)}));
  const Aggregation last("lastwithtime", {{DataType::kInt, false}, {DataType::kLong, false}},
                         {Value::String("INT")});
  CHECK(last.Run({Ints({}), Longs({})})[0] == Value::Int(std::numeric_limits<int32_t>::min()));
}

}  // namespace
}  // namespace trellis::aggregate
