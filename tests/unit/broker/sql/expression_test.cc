#include <catch2/catch.hpp>
#include <limits>

#include "broker/sql/parser.h"
#include "broker/sql/print.h"

namespace trellis::sql {
namespace {

Expr ParseOne(const std::string& text) {
  auto statement = Parse("SELECT " + text + " FROM t");
  INFO(text << ": " << statement.status().message());
  REQUIRE(statement.ok());
  REQUIRE(statement->select.items.size() == 1);
  return statement->select.items[0].expr;
}

std::string Print(const std::string& text) { return PrintExpr(ParseOne(text)); }

void CheckPrints(std::initializer_list<std::pair<const char*, const char*>> cases) {
  for (const auto& [text, printed] : cases) {
    CAPTURE(text);
    CHECK(Print(text) == printed);
  }
}

TEST_CASE("an expression prints as Pinot names its column") {
  CheckPrints({
      {"a", "a"},
      {"SUM(a * 2 + b)", "sum(plus(times(a,'2'),b))"},
      {"STDDEV_POP(x)", "stddevpop(x)"},
      {"COUNT(*)", "count(*)"},
      {"m['k1']", "item(m,'k1')"},
      {"m['a']['b']", "item(item(m,'a'),'b')"},
      {"-a", "negate(a)"},
      {"a % 7", "mod(a,'7')"},
      {"a || 'x'", "||(a,'x')"},
      {"x * 1e20", "times(x,'1.0E20')"},
      {"NULL", "'null'"},
      {"TRUE", "'true'"},
      {"$docId", "$docId"},
      {"t.a", "t.a"},
      {"\"a b\".\"c\"\"d\"", "a b.c\"d"},
      {"f()", "f()"},
  });
}

TEST_CASE("forms with words take Pinot's function form") {
  CheckPrints({
      {"CASE WHEN a > 0 THEN 'p' WHEN a <= 0 THEN 'q' END",
       "case(greater_than(a,'0'),'p',less_than_or_equal(a,'0'),'q','null')"},
      {"CASE WHEN a THEN 1 ELSE 0 END", "case(a,'1','0')"},
      {"CASE a WHEN 1 THEN 'x' WHEN 2, 3 THEN 'y' ELSE 'z' END",
       "case(equals(a,'1'),'x',in(a,'2','3'),'y','z')"},
      {"CAST(a AS INT)", "cast(a,'INTEGER')"},
      {"CAST(a AS BIGINT)", "cast(a,'LONG')"},
      {"CAST(a AS VARCHAR(10))", "cast(a,'STRING')"},
      {"CAST(a AS LONG)", "cast(a,'LONG')"},
      {"CAST(a AS double precision)", "cast(a,'DOUBLE')"},
      {"CAST(a AS TIMESTAMP)", "cast(a,'TIMESTAMP')"},
      {"EXTRACT(year FROM ts)", "extract('YEAR',ts)"},
      {"TIMESTAMPADD(day, 3, ts)", "timestampadd('DAY','3',ts)"},
      {"TIMESTAMPDIFF(SQL_TSI_HOUR, a, b)", "timestampdiff('HOUR',a,b)"},
      {"DATEADD('day', 3, ts)", "dateadd('day','3',ts)"},
      {"DATETRUNC('week', ts)", "datetrunc('week',ts)"},
      {"TRIM(a)", "trim('BOTH',' ',a)"},
      {"TRIM(LEADING 'ab' FROM a)", "trim('LEADING','ab',a)"},
      {"TRIM(TRAILING FROM a)", "trim('TRAILING',' ',a)"},
      {"SUBSTRING(a FROM 2 FOR 3)", "substring(a,'2','3')"},
      {"SUBSTRING(a, 2)", "substring(a,'2')"},
      {"POSITION('x' IN a)", "position('x',a)"},
      {"FLOOR(ts TO DAY)", "floor(ts,'DAY')"},
      {"LEFT(a, 2)", "left(a,'2')"},
      {"DATE '2024-01-31'", "'2024-01-31'"},
      {"TIMESTAMP '2024-01-31 00:00:00'", "'2024-01-31 00:00:00'"},
      {"INTERVAL '5' DAY", "'5'"},
      {"INTERVAL '1-2' YEAR(2) TO MONTH", "'1-2'"},
      {"ARRAY[1, 2]", "arrayvalueconstructor('1','2')"},
      {"ts AT TIME ZONE 'UTC'", "attimezone(ts,'UTC')"},
  });
}

TEST_CASE("predicates keep the underscores of their names") {
  CheckPrints({
      {"a <> 1", "not_equals(a,'1')"},
      {"a != 1", "not_equals(a,'1')"},
      {"a >= 1", "greater_than_or_equal(a,'1')"},
      {"a NOT IN (1, 2)", "not_in(a,'1','2')"},
      {"a BETWEEN 1 AND 2", "between(a,'1','2')"},
      {"a NOT BETWEEN 1 AND 2", "not(between(a,'1','2'))"},
      {"a NOT LIKE 'x%'", "not(like(a,'x%'))"},
      {"a LIKE 'x%' ESCAPE '!'", "like(a,'x%')"},
      {"a IS NULL", "is_null(a)"},
      {"a IS NOT NULL", "is_not_null(a)"},
      {"isNull(a)", "is_null(a)"},
      {"a IS TRUE", "is_true(a)"},
      {"a IS NOT FALSE", "is_not_false(a)"},
      {"a IS DISTINCT FROM b", "is_distinct_from(a,b)"},
      {"a IS NOT DISTINCT FROM b", "is_not_distinct_from(a,b)"},
      {"REGEXP_LIKE(a, 'x', 'i')", "regexp_like(a,'x','i')"},
      {"regexpLike(a, 'x')", "regexp_like(a,'x')"},
      {"JSON_MATCH(a, 'x')", "json_match(a,'x')"},
      {"JSON_EXTRACT_SCALAR(a, '$.b', 'INT')", "jsonextractscalar(a,'$.b','INT')"},
  });
}

TEST_CASE("operators bind as in Pinot's grammar") {
  CheckPrints({
      {"a + b * c - d", "minus(plus(a,times(b,c)),d)"},
      {"(a + b) * c", "times(plus(a,b),c)"},
      {"a - b - c", "minus(minus(a,b),c)"},
      {"-a * b", "times(negate(a),b)"},
      {"-m['k']", "negate(item(m,'k'))"},
      {"a OR b AND c", "or(a,and(b,c))"},
      {"(a OR b) AND c", "and(or(a,b),c)"},
      {"NOT a = b AND c", "and(not(equals(a,b)),c)"},
      {"NOT a IN (1)", "not(in(a,'1'))"},
      {"a BETWEEN 1 AND 2 AND b", "and(between(a,'1','2'),b)"},
      {"a = b IS NULL", "is_null(equals(a,b))"},
      {"a + 1 IN (2)", "in(plus(a,'1'),'2')"},
      {"a = b IN (c)", "equals(a,in(b,c))"},
      {"a -5", "minus(a,'5')"},
      {"a - -5", "minus(a,'-5')"},
  });
}

TEST_CASE("nested AND and OR are flat, also through brackets") {
  CheckPrints({
      {"a AND b AND c", "and(a,b,c)"},
      {"a AND (b AND (c AND d))", "and(a,b,c,d)"},
      {"(a OR b) OR c AND (d OR e)", "or(a,b,and(c,or(d,e)))"},
  });
}

TEST_CASE("COUNT, SUM and AVG take DISTINCT and change their names") {
  CheckPrints({
      {"COUNT(DISTINCT a)", "distinctcount(a)"},
      {"SUM(DISTINCT a)", "distinctsum(a)"},
      {"AVG(distinct a + 1)", "distinctavg(plus(a,'1'))"},
      {"COUNT(ALL a)", "count(a)"},
      {"COUNT(all)", "count(all)"},
  });
}

TEST_CASE("a FILTER prints its condition infix") {
  CheckPrints({
      {"COUNT(*) FILTER (WHERE a > 0)", "count(*) FILTER(WHERE a > '0')"},
      {"SUM(x) FILTER(WHERE 5 < a AND b BETWEEN 1 AND 2 OR c NOT IN ('x', 'y'))",
       "sum(x) FILTER(WHERE ((a > '5' AND b BETWEEN '1' AND '2') OR c NOT IN ('x','y')))"},
      {"SUM(x) FILTER(WHERE NOT a = b)", "sum(x) FILTER(WHERE (NOT equals(a,b) = 'true'))"},
      {"SUM(x) FILTER(WHERE a LIKE 'ab_%' OR b IS NULL)",
       "sum(x) FILTER(WHERE (regexp_like(a,'^ab.','i') OR b IS NULL))"},
      {"SUM(x) FILTER(WHERE startsWith(a, 'b'))",
       "sum(x) FILTER(WHERE startswith(a,'b') = 'true')"},
  });
  CHECK(ParseOne("SUM(x) FILTER (WHERE a)").filter->name == "a");
}

TEST_CASE("an integer is an INT if it fits, else a LONG of its low 64 bits") {
  const auto literal = [](const std::string& text) { return ParseOne(text).literal; };
  CHECK(literal("2147483647") == Value::Int(2147483647));
  CHECK(literal("2147483648") == Value::Long(2147483648));
  CHECK(literal("-2147483648") == Value::Int(std::numeric_limits<int32_t>::min()));
  CHECK(literal("9223372036854775808") == Value::Long(std::numeric_limits<int64_t>::min()));
  CHECK(literal("-9223372036854775808") == Value::Long(std::numeric_limits<int64_t>::min()));
  CHECK(literal("92233720368547758071") == Value::Int(-9));
  CHECK(literal("-(-3)") == Value::Int(3));
  CHECK(literal("- - + 3") == Value::Int(3));
}

TEST_CASE("a number with a point or an exponent is a DOUBLE") {
  const auto literal = [](const std::string& text) { return ParseOne(text).literal; };
  CHECK(literal("1.0") == Value::Double(1));
  CHECK(literal("1.") == Value::Double(1));
  CHECK(literal(".5") == Value::Double(0.5));
  CHECK(literal("1e5") == Value::Double(100000));
  CHECK(literal("-1.5") == Value::Double(-1.5));
  CHECK(literal("1e400") == Value::Double(std::numeric_limits<double>::infinity()));
}

TEST_CASE("0x10 is a name, not a number") { CHECK(ParseOne("0x10").is_identifier()); }

TEST_CASE("words that Pinot's grammar leaves free are names") {
  for (const char* word : {"count", "min", "value", "year", "key", "all", "first", "end", "like"}) {
    CAPTURE(word);
    CHECK(ParseOne(word).name == word);
  }
}

TEST_CASE("equality of expressions ignores positions and sees the filter") {
  CHECK(ParseOne("a+1") == ParseOne("  a  +  1"));
  CHECK_FALSE(ParseOne("a+1") == ParseOne("a+2"));
  CHECK_FALSE(ParseOne("a+1") == ParseOne("a+1.0"));
  CHECK(ParseOne("sum(a) filter (where b)") == ParseOne("SUM(a) FILTER (WHERE b)"));
  CHECK_FALSE(ParseOne("sum(a) filter (where b)") == ParseOne("sum(a)"));
}

TEST_CASE("an expression knows its place") {
  const auto statement = Parse("SELECT a,\n  b + nosuch FROM t");
  REQUIRE(statement.ok());
  const Expr& plus = statement->select.items[1].expr;
  CHECK(plus.position.column == 5);
  CHECK(plus.args[1].position.line == 2);
  CHECK(plus.args[1].position.column == 7);
}

}  // namespace
}  // namespace trellis::sql
