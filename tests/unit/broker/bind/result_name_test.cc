#include "broker/bind/result_name.h"

#include "tests/unit/broker/bind/bound_query.h"

namespace trellis::broker {
namespace {

std::string Name(const std::string& item, bool null_handling = false) {
  return ResultName(NormalItem(item, null_handling));
}

}  // namespace

TEST_CASE("columns are named as the schema spells them") {
  CHECK(Name("CAMELCASE") == "CamelCase");
  CHECK(Name("t.i") == "i");
  CHECK(Name("\"s\"") == "s");
  CHECK(Name("$DOCID") == "$docId");
}

TEST_CASE("literals inside expressions are quoted") {
  CHECK(Name("i + 1") == "plus(i,'1')");
  CHECK(Name("CASE WHEN i > 2 THEN 'a' END") == "case(greater_than(i,'2'),'a','null')");
  CHECK(Name("m['k']") == "item(m,'k')");
  CHECK(Name("CAST(i AS BIGINT)") == "cast(i,'LONG')");
  CHECK(Name("CAST(l AS INT)") == "cast(l,'INTEGER')");
}

TEST_CASE("aggregations have forms of their own") {
  CHECK(Name("COUNT(*)") == "count(*)");
  CHECK(Name("SUM(i)") == "sum(i)");
  CHECK(Name("PERCENTILE(i, 95)") == "percentile(i, 95.0)");
  // Arguments that will be refused must not stop the printing.
  CHECK_FALSE(Name("PERCENTILE(i, 'x')").empty());
  CHECK_FALSE(Name("PERCENTILE(i, NULL)").empty());
  CHECK_FALSE(Name("PERCENTILEMV(i, true)").empty());
  CHECK(Name("COUNT(DISTINCT s)") == "distinctcount(s)");
  CHECK(Name("SUM(i) FILTER (WHERE l > 0)") == "sum(i) FILTER(WHERE l > '0')");
}

TEST_CASE("COUNT of a column is COUNT(*) unless nulls are handled") {
  CHECK(Name("COUNT(i)") == "count(*)");
  CHECK(Name("COUNT(i)", true) == "count(i)");
  CHECK(Name("COUNT(1)", true) == "count(*)");
}

TEST_CASE("a query of literals names numbers bare and text quoted") {
  CHECK(LiteralName(Value::Int(1)) == "1");
  CHECK(LiteralName(Value::Double(1.5)) == "1.5");
  CHECK(LiteralName(Value::String("a")) == "'a'");
  CHECK(LiteralName(Value::Boolean(true)) == "true");
  CHECK(LiteralName(Value::Null()) == "null");
}

}  // namespace trellis::broker
