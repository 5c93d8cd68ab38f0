#include <catch2/catch.hpp>

#include "broker/sql/parser.h"
#include "broker/sql/print.h"

namespace trellis::sql {
namespace {

Statement MustParse(std::string_view text) {
  auto statement = Parse(text);
  INFO(text << ": " << statement.status().message());
  REQUIRE(statement.ok());
  return std::move(statement).value();
}

TEST_CASE("every clause lands in its field") {
  const Select select =
      MustParse(
          "SELECT a AS x, b y, COUNT(*) AS \"n n\", sum(c) FROM db.t WHERE a > 1 GROUP BY a, b "
          "HAVING COUNT(*) > 2 ORDER BY x DESC NULLS LAST, 2 ASC NULLS FIRST, b "
          "LIMIT 5 OFFSET 6")
          .select;
  REQUIRE(select.items.size() == 4);
  CHECK(select.items[0].alias == "x");
  CHECK(select.items[1].alias == "y");
  CHECK(select.items[2].alias == "n n");
  CHECK_FALSE(select.items[3].has_alias);
  CHECK(select.table == "db.t");
  CHECK(select.table_position.column == 52);
  CHECK(PrintExpr(*select.where) == "greater_than(a,'1')");
  CHECK(select.group_by.size() == 2);
  CHECK(PrintExpr(*select.having) == "greater_than(count(*),'2')");
  REQUIRE(select.order_by.size() == 3);
  CHECK_FALSE(select.order_by[0].ascending);
  CHECK(select.order_by[0].nulls_first == false);
  CHECK(select.order_by[1].nulls_first == true);
  CHECK(select.order_by[2].ascending);
  CHECK_FALSE(select.order_by[2].nulls_first.has_value());
  CHECK(select.limit == 5);
  CHECK(select.offset == 6);
}

TEST_CASE("all ways to write a limit mean the same") {
  for (const char* limits :
       {"LIMIT 5 OFFSET 6", "LIMIT 6, 5", "OFFSET 6 LIMIT 5",
        "OFFSET 6 ROWS FETCH NEXT 5 ROWS ONLY", "OFFSET 6 FETCH FIRST 5 ROW ONLY"}) {
    CAPTURE(limits);
    const Select select = MustParse(std::string("SELECT a FROM t ") + limits).select;
    CHECK(select.limit == 5);
    CHECK(select.offset == 6);
  }
  CHECK(MustParse("SELECT a FROM t LIMIT 99999999999").select.limit == 99999999999);
  CHECK_FALSE(MustParse("SELECT a FROM t LIMIT ALL").select.limit.has_value());
  CHECK_FALSE(MustParse("SELECT a FROM t").select.limit.has_value());
}

TEST_CASE("FROM may be absent and stars may stand among the items") {
  CHECK(MustParse("SELECT 1").select.table.empty());
  const Select select = MustParse("SELECT *, a, t.* FROM t").select;
  REQUIRE(select.items.size() == 3);
  CHECK(select.items[0].expr.is_star());
  CHECK(select.items[2].expr.is_star());
  CHECK(select.items[2].expr.name == "t");
}

TEST_CASE("EXPLAIN PLAN FOR and DISTINCT are flags") {
  const Select select = MustParse("EXPLAIN PLAN FOR SELECT DISTINCT a FROM t").select;
  CHECK(select.explain);
  CHECK(select.distinct);
  CHECK_FALSE(MustParse("SELECT a FROM t").select.explain);
}

TEST_CASE("SET wins over OPTION, and the later SET over the earlier") {
  const Statement statement = MustParse(
      "SET a = 1; SET b = 'x''y'; set A = -2; SELECT 1 FROM t "
      "OPTION(B=z, c = d e, c=f);");
  using Option = std::pair<std::string, std::string>;
  CHECK(statement.options == std::vector<Option>{{"a", "-2"}, {"b", "x'y"}, {"c", "d e"}});
}

TEST_CASE("SET may follow the query and semicolons may repeat") {
  const Statement statement = MustParse(";; SELECT a FROM t ;; SET k = true;");
  REQUIRE(statement.options.size() == 1);
  CHECK(statement.options[0].second == "true");
}

TEST_CASE("OPTION's text is not SQL") {
  CHECK(MustParse("SELECT a FROM t OPTION(k=it's)").options[0].second == "it's");
  CHECK(MustParse("SELECT a FROM t LIMIT 1 option (k=`)").options[0].second == "`");
}

TEST_CASE("one hundred thousand elements or terms are parsed flat") {
  std::string in = "SELECT a FROM t WHERE a IN (0";
  std::string disjunction = "SELECT a FROM t WHERE a = 0";
  for (int i = 1; i < 100000; ++i) {
    in += ',' + std::to_string(i);
    disjunction += " OR a = " + std::to_string(i);
  }
  CHECK(MustParse(in + ")").select.where->args.size() == 100001);
  CHECK(MustParse(disjunction).select.where->args.size() == 100000);
}

TEST_CASE("an operator chain is accepted up to its bound") {
  std::string chain = "SELECT a";
  for (int i = 0; i < kTreeHeightMax - 1; ++i) chain += "+1";
  CHECK(Parse(chain).ok());
  CHECK(Parse(chain + "+1").status().pinot_code() == PinotCode::kSqlParsing);
}

}  // namespace
}  // namespace trellis::sql
