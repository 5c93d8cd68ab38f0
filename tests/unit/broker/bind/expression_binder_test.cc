#include "broker/bind/expression_binder.h"

#include "tests/unit/broker/bind/bound_query.h"

namespace trellis::broker {
namespace {

Status NormalizeStatus(const std::string& item) {
  const Schema schema = TestSchema();
  sql::Expr expr = ParseItem(item);
  return Normalizer(schema, "t", false).Normalize(expr);
}

Result<plan::Expression> Row(const std::string& item) {
  return BindRowExpression(NormalItem(item), TestSchema());
}

void RowRefused(const std::string& item, std::string_view part) {
  const auto bound = Row(item);
  INFO(item << ": " << bound.status().message());
  REQUIRE_FALSE(bound.ok());
  CHECK(bound.status().pinot_code() == PinotCode::kQueryValidation);
  CHECK(bound.status().message().find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("names take the schema's spelling and lose the table's prefix") {
  CHECK(NormalItem("camelcase").name == "CamelCase");
  CHECK(NormalItem("T.CAMELCASE").name == "CamelCase");
  CHECK(NormalItem("$SEGMENTNAME").name == "$segmentName");
}

TEST_CASE("an unknown column is refused with 710, its place and the nearest name") {
  const Status status = NormalizeStatus("CamelCas");
  CHECK(status.pinot_code() == PinotCode::kUnknownColumn);
  CHECK(status.message() ==
        "unknown column 'CamelCas' (did you mean 'CamelCase'?) (line 1, column 8)");
  CHECK(NormalizeStatus("other.i").pinot_code() == PinotCode::kUnknownColumn);
  CHECK(NormalizeStatus("abs(nosuchcolumn)").pinot_code() == PinotCode::kUnknownColumn);
}

TEST_CASE("every virtual column is known in any case") {
  for (const char* name :
       {"$partitionId", "$creationTime", "$startTime", "$endTime", "$totalDocs", "$crc"}) {
    std::string upper(name);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    CHECK(NormalItem(upper).name == name);
  }
}

TEST_CASE("functions of literals are folded where they stand") {
  CHECK(NormalItem("1 + 1").literal == Value::Long(2));
  CHECK(NormalItem("1 / 2").literal == Value::Double(0.5));
  CHECK(NormalItem("trim('  x ')").literal == Value::String("x"));
  CHECK(NormalItem("i + (1 + 1)").args.at(1).literal == Value::Long(2));
  sql::Expr alone = ParseItem("upper('ab')");
  REQUIRE(FoldConstants(alone).ok());
  CHECK(alone.literal == Value::String("AB"));
}

TEST_CASE("an aggregation of a literal is not folded") {
  CHECK(NormalItem("SUM(1)").is_function("sum"));
}

TEST_CASE("expressions get the types of Pinot's transforms") {
  CHECK(Row("i + l")->type == ValueType{DataType::kDouble, false});
  CHECK(Row("i > 2")->type == ValueType{DataType::kBoolean, false});
  CHECK(Row("m['k']")->type == ValueType{DataType::kLong, false});
  CHECK(Row("m['k']")->kind == plan::Expression::Kind::kMapKey);
  CHECK(Row("o['cpu']")->type == ValueType{DataType::kDouble, false});
  CHECK(Row("o['x']")->type == ValueType{DataType::kString, false});
  CHECK(Row("o")->type == ValueType{DataType::kOpenStruct, false});
  CHECK(Row("$partitionId")->type == ValueType{DataType::kString, true});
  CHECK(Row("$endTime")->type == ValueType{DataType::kTimestamp, false});
  CHECK(Row("mv")->type == ValueType{DataType::kInt, true});
  CHECK(Row("$docId")->type == ValueType{DataType::kInt, false});
}

TEST_CASE("what has no meaning over a row is refused with 700") {
  RowRefused("i['k']", "not a MAP column");
  RowRefused("m['a']['b']", "left operand must be a MAP column");
  RowRefused("m[s]", "must be a literal");
  RowRefused("nosuchfunction(i)", "nosuchfunction");
  RowRefused("SUM(i)", "aggregation sum cannot stand here");
  RowRefused("mv + 1", "INT_ARRAY");
}

TEST_CASE("aggregations are found inside expressions") {
  CHECK(ContainsAggregate(NormalItem("1 + SUM(i)")));
  CHECK_FALSE(ContainsAggregate(NormalItem("abs(i) + 1")));
}

}  // namespace trellis::broker
