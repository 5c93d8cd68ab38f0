#include <catch2/catch.hpp>

#include "broker/sql/parser.h"

namespace trellis::sql {
namespace {

struct Refusal {
  std::string text;
  const char* what;  // part of the message
  int line;
  int column;
};

void CheckRefused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    CAPTURE(refusal.text);
    const auto statement = Parse(refusal.text);
    REQUIRE_FALSE(statement.ok());
    CHECK(statement.status().pinot_code() == PinotCode::kSqlParsing);
    const std::string& message = statement.status().message();
    CHECK_THAT(message, Catch::Contains(refusal.what));
    CHECK_THAT(message, Catch::Contains(
                            fmt::format(" at line {}, column {}\n", refusal.line, refusal.column)));
  }
}

TEST_CASE("what only the multi-stage engine has is refused by name") {
  CheckRefused({
      {"SELECT a FROM t JOIN u ON t.a = u.a", "joins", 1, 17},
      {"SELECT a FROM t LEFT JOIN u USING (a)", "joins", 1, 17},
      {"SELECT a FROM t, u", "joins", 1, 16},
      {"SELECT b.a FROM t b", "table aliases", 1, 19},
      {"SELECT a FROM t AS b", "table aliases", 1, 17},
      {"SELECT a FROM t \"b\"", "table aliases", 1, 17},
      {"SELECT a FROM (SELECT a FROM t)", "sub-queries", 1, 15},
      {"SELECT a FROM t WHERE a IN (SELECT b FROM u)", "sub-queries", 1, 29},
      {"SELECT (SELECT 1) FROM t", "sub-queries", 1, 9},
      {"SELECT a FROM t WHERE EXISTS (SELECT 1)", "sub-queries", 1, 31},
      {"WITH x AS (SELECT 1) SELECT * FROM x", "WITH", 1, 1},
      {"SELECT a FROM t UNION SELECT a FROM t", "UNION", 1, 17},
      {"SELECT a FROM t INTERSECT SELECT a FROM t", "INTERSECT", 1, 17},
      {"SELECT a FROM t LIMIT 1 EXCEPT SELECT a FROM t", "EXCEPT", 1, 25},
      {"SELECT sum(a) OVER (PARTITION BY b) FROM t", "window functions", 1, 15},
      {"SELECT DISTINCT a FROM t GROUP BY a", "DISTINCT with GROUP BY", 1, 26},
  });
}

TEST_CASE("what Pinot or Trellis does not have is refused by name") {
  CheckRefused({
      {"SELECT a, sum(b) FROM t GROUP BY ROLLUP(a)", "not supported yet", 1, 34},
      {"SELECT a, sum(b) FROM t GROUP BY CUBE(a)", "not supported yet", 1, 34},
      {"SELECT a, sum(b) FROM t GROUP BY GROUPING SETS ((a))", "not supported yet", 1, 34},
      {"SELECT DISTINCT ON (a) b FROM t", "DISTINCT ON", 1, 17},
      {"SELECT DISTINCT * FROM t", "DISTINCT *", 1, 8},
      {"SELECT DISTINCT a FROM t LIMIT 0", "LIMIT 0", 1, 1},
      {"SELECT MIN(DISTINCT a) FROM t", "DISTINCT is only supported in COUNT", 1, 12},
      {"SELECT `a` FROM t", "double quotes do", 1, 8},
      {"SELECT a FROM t WHERE a = ?", "parameters", 1, 27},
      {"SELECT a FROM t WHERE (a, b) IN ((1, 2))", "row values", 1, 25},
      {"SELECT 1; SELECT 2", "only one query", 1, 11},
      {"INSERT INTO t VALUES (1)", "only SELECT", 1, 1},
      {"SELEC 1", "did you mean 'SELECT'", 1, 1},
      {"", "no query", 1, 1},
      {" ;\n", "no query", 2, 1},
      {"SET a = 1;", "no query", 1, 11},
      {"-- only a comment", "no query", 1, 18},
  });
}

TEST_CASE("a mistake is shown at its place with what was expected") {
  CheckRefused({
      {"SELECT a, FROM t", "expected a name but found the reserved word FROM", 1, 11},
      {"SELECT", "expected an expression but the query ends", 1, 7},
      {"SELECT a FROM\n  t WHERE\n  )", "expected an expression but found )", 3, 3},
      {"SELECT f(a FROM t", "expected ',' or ')' but found FROM", 1, 12},
      {"SELECT (a FROM t", "expected ')' but found FROM", 1, 11},
      {"SELECT date FROM t", "reserved word date", 1, 8},
      {"SELECT a AS from FROM t", "reserved word from", 1, 13},
      {"SELECT a b c FROM t", "found c", 1, 12},
      {"SELECT a FROM t WHERE a IN ()", "expected an expression", 1, 29},
      {"SELECT a FROM t WHERE a BETWEEN 1 OR 2", "expected AND", 1, 35},
      {"SELECT a FROM t WHERE a IS 5", "expected NULL, TRUE, FALSE", 1, 28},
      {"SELECT a FROM t WHERE a NOT = 5", "expected", 1, 25},
      {"SELECT a FROM t GROUP a", "expected BY", 1, 23},
      {"SELECT a FROM t LIMIT x", "a number of rows", 1, 23},
      {"SELECT a FROM t LIMIT -1", "a number of rows", 1, 23},
      {"SELECT a FROM t LIMIT 9223372036854775808", "beyond", 1, 23},
      {"SELECT a FROM t LIMIT 1 LIMIT 2", "twice", 1, 25},
      {"SELECT a FROM t ORDER BY a NULLS", "FIRST or LAST", 1, 33},
      {"SELECT a FROM t WHERE b LIMIT 1 WHERE c", "another clause", 1, 33},
      {"SELECT CASE WHEN a THEN b FROM t", "WHEN, ELSE or END", 1, 27},
      {"SELECT CASE a END FROM t", "expected WHEN", 1, 15},
      {"SELECT CAST(a INT) FROM t", "expected AS", 1, 15},
      {"SELECT TRIM(LEADING 'a', b) FROM t", "expected FROM", 1, 24},
      {"SELECT m['k' FROM t", "expected ']'", 1, 14},
      {"SELECT 1 WHERE a", "another clause", 1, 10},
      {"SELECT 'abc", "not closed", 1, 8},
      {"SELECT a /* b", "not closed", 1, 10},
      {"SELECT a # b FROM t", "unexpected character '#'", 1, 10},
      {"SET a = foo; SELECT 1", "expected a literal", 1, 9},
      {"SET a 1; SELECT 1", "expected '='", 1, 7},
      {"SET a = 1 SELECT 1", "expected ';'", 1, 11},
      {"EXPLAIN SELECT 1", "expected PLAN", 1, 9},
      {"SELECT a FROM t OPTION(k=v", "not closed", 1, 23},
      {"SELECT a FROM t OPTION(k)", "expected OPTION(key=value", 1, 23},
      {"SELECT a FROM t OPTION(k=v) LIMIT 1", "end of the query", 1, 29},
  });
}

TEST_CASE("the message shows the line and a caret under the mistake") {
  const auto statement = Parse("SELECT a\nFROM t\tWHERE )\nLIMIT 1");
  CHECK(statement.status().message() ==
        "expected an expression but found ) at line 2, column 14\n"
        "FROM t\tWHERE )\n"
        "      \t      ^");
}

TEST_CASE("nesting beyond the bound is refused without exhausting the stack") {
  const auto nested = [](std::string_view open, int count, std::string_view close) {
    std::string text = "SELECT ";
    for (int i = 0; i < count; ++i) text += open;
    text += 'a';
    for (int i = 0; i < count; ++i) text += close;
    return Parse(text);
  };
  CHECK(nested("(", kNestingMax - 1, ")").ok());
  for (const auto& [open, close] :
       std::vector<std::pair<std::string, std::string>>{{"(", ")"},
                                                        {"f(", ")"},
                                                        {"NOT ", ""},
                                                        {"- ", ""},
                                                        {"CASE WHEN ", " THEN b END"},
                                                        {"m[", "]"},
                                                        {"a OR b AND c = d + e * (", ")"},
                                                        {"a IN (", ")"},
                                                        {"CAST(", " AS INT)"}}) {
    CAPTURE(open);
    const auto statement = nested(open, 100000, close);
    REQUIRE_FALSE(statement.ok());
    CHECK(statement.status().pinot_code() == PinotCode::kSqlParsing);
  }
  std::string items = "SELECT m";
  for (int i = 0; i < 100000; ++i) items += "['k']";
  CHECK_FALSE(Parse(items).ok());
}

TEST_CASE("a CASE whose subject is a CASE, and so on, does not grow beyond bounds") {
  const auto nested = [](int count) {
    std::string text = "SELECT ";
    for (int i = 0; i < count; ++i) text += "CASE ";
    text += 'a';
    for (int i = 0; i < count; ++i) text += " WHEN 1 THEN 2 WHEN 3 THEN 4 END";
    return Parse(text);
  };
  CHECK(nested(5).ok());
  CHECK(nested(150).status().pinot_code() == PinotCode::kSqlParsing);
}

TEST_CASE("a text that is too long or no UTF-8 is refused") {
  CHECK(Parse(std::string(kTextSizeBytesMax + 1, ' ')).status().pinot_code() ==
        PinotCode::kSqlParsing);
  CHECK(Parse("SELECT '\xFF' FROM t").status().pinot_code() == PinotCode::kSqlParsing);
}

TEST_CASE("a query cut short anywhere is parsed or refused with a place") {
  const std::string_view text =
      "SET a = 'x'; SELECT CASE WHEN a['k'] NOT LIKE 'x%' THEN 1 END AS \"q\", COUNT(DISTINCT b) "
      "FILTER (WHERE c IS NOT NULL) FROM t WHERE TRIM(LEADING 'a' FROM d) = E'\\n' AND "
      "CAST(e AS INT) BETWEEN -1 AND 1e3 GROUP BY 1 ORDER BY 2 DESC NULLS LAST LIMIT 1 OFFSET 2 "
      "OPTION(k=v)";
  REQUIRE(Parse(text).ok());
  for (size_t size = 0; size < text.size(); ++size) {
    const auto statement = Parse(text.substr(0, size));
    CAPTURE(size);
    if (!statement.ok()) {
      CHECK_THAT(statement.status().message(), Catch::Contains("line 1, column "));
    }
  }
}

}  // namespace
}  // namespace trellis::sql
