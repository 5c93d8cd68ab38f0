#include "broker/bind/aggregate_binder.h"

#include "tests/unit/broker/bind/bound_query.h"

namespace trellis::broker {
namespace {

plan::Expression Bind(AggregateBinder& binder, const std::string& item) {
  auto expression = binder.Bind(NormalItem(item));
  INFO(item << ": " << expression.status().message());
  REQUIRE(expression.ok());
  return *expression;
}

void Refused(AggregateBinder& binder, const std::string& item, PinotCode code,
             std::string_view part) {
  const auto expression = binder.Bind(NormalItem(item));
  INFO(item << ": " << expression.status().message());
  REQUIRE_FALSE(expression.ok());
  CHECK(expression.status().pinot_code() == code);
  CHECK(expression.status().message().find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("keys come first, then each aggregation once however often it is written") {
  const Schema schema = TestSchema();
  AggregateBinder binder(schema, false);
  REQUIRE(binder.AddKey(NormalItem("s")).ok());
  REQUIRE(binder.AddKey(NormalItem("i + 1")).ok());
  REQUIRE(binder.AddKey(NormalItem("s")).ok());  // once only
  CHECK(Bind(binder, "s").name == "#0");
  CHECK(Bind(binder, "i + 1").name == "#1");
  CHECK(Bind(binder, "SUM(l)").name == "#2");
  CHECK(Bind(binder, "COUNT(*)").name == "#3");
  CHECK(Bind(binder, "SUM(l)").name == "#2");
  CHECK(binder.keys().size() == 2);
  CHECK(binder.calls().size() == 2);
}

TEST_CASE("what stands around keys and aggregations is a function over their columns") {
  const Schema schema = TestSchema();
  AggregateBinder binder(schema, false);
  REQUIRE(binder.AddKey(NormalItem("i")).ok());
  const plan::Expression sum = Bind(binder, "SUM(l) / COUNT(*) + i");
  CHECK(plan::PrintExpression(sum) == "plus(divide(#1,#2),#0)");
  CHECK(binder.calls().size() == 2);
}

TEST_CASE("a multi-value key is one element a group") {
  const Schema schema = TestSchema();
  AggregateBinder binder(schema, false);
  REQUIRE(binder.AddKey(NormalItem("mv")).ok());
  CHECK(binder.keys()[0].type == ValueType{DataType::kInt, true});
  CHECK(Bind(binder, "mv").type == ValueType{DataType::kInt, false});
}

TEST_CASE("an aggregation's literals are its parameters and its filter is bound") {
  const Schema schema = TestSchema();
  AggregateBinder binder(schema, false);
  Bind(binder, "PERCENTILE(i, 95)");
  Bind(binder, "SUM(i) FILTER (WHERE l > 0)");
  Bind(binder, "SUM(i)");
  REQUIRE(binder.calls().size() == 3);
  CHECK(binder.calls()[0].arguments.size() == 1);
  REQUIRE(binder.calls()[0].parameters.size() == 1);
  CHECK(binder.calls()[0].parameters[0].AsDouble() == 95.0);
  REQUIRE(binder.calls()[1].filter.has_value());
  CHECK(binder.calls()[1].filter->predicate.lower == Value::Long(0));
  CHECK_FALSE(binder.calls()[2].filter.has_value());
}

TEST_CASE("columns and aggregations in the wrong place are refused") {
  const Schema schema = TestSchema();
  AggregateBinder binder(schema, false);
  REQUIRE(binder.AddKey(NormalItem("s")).ok());
  Refused(binder, "i", PinotCode::kSqlParsing, "neither in GROUP BY nor inside an aggregation");
  Refused(binder, "SUM(SUM(i))", PinotCode::kQueryValidation, "cannot stand here");
  Refused(binder, "PERCENTILE(i, l)", PinotCode::kQueryValidation, "must be a literal");
  Refused(binder, "SUM(s)", PinotCode::kQueryValidation, "STRING");
  Refused(binder, "SUM(i, l, d)", PinotCode::kQueryValidation, "sum");
  const Status aggregation = binder.AddKey(NormalItem("SUM(i)"));
  CHECK(aggregation.pinot_code() == PinotCode::kSqlParsing);
  const Status map = binder.AddKey(NormalItem("m"));
  CHECK(map.pinot_code() == PinotCode::kQueryValidation);
}

}  // namespace trellis::broker
