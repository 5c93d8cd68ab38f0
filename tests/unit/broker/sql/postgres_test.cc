// Compares what we accept with PostgreSQL's own grammar (libpg_query) where the dialects agree.
#include <catch2/catch.hpp>

extern "C" {
#include <pg_query.h>
}

#include <nlohmann/json.hpp>
#include <optional>

#include "broker/sql/parser.h"

namespace trellis::sql {
namespace {

// The number of select items PostgreSQL sees, or nullopt when it refuses the text.
std::optional<size_t> PostgresItemCount(const std::string& text) {
  const PgQueryParseResult result = pg_query_parse(text.c_str());
  std::optional<size_t> count;
  if (result.error == nullptr) {
    const auto tree = nlohmann::json::parse(result.parse_tree);
    count = tree["stmts"][0]["stmt"]["SelectStmt"]["targetList"].size();
  }
  pg_query_free_parse_result(result);
  return count;
}

TEST_CASE("both grammars accept the common subset and see the same select items") {
  for (const std::string text : {
           "SELECT 1",
           "SELECT a FROM t",
           "SELECT a, b AS c, d e FROM t",
           "SELECT * FROM t",
           "SELECT t.* FROM t",
           "SELECT a.b, c FROM a",
           "SELECT DISTINCT a, b FROM t LIMIT 3",
           "SELECT COUNT(*), SUM(a + b * 2) FROM t WHERE a > 1 AND NOT b < 2 OR c = 'x'",
           "SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 1 ORDER BY 2 DESC, a LIMIT 5",
           "SELECT a FROM t WHERE a IN (1, 2, 3) AND b NOT IN ('x')",
           "SELECT a FROM t WHERE a BETWEEN 1 AND 2 AND b NOT BETWEEN 3 AND 4",
           "SELECT a FROM t WHERE a LIKE 'x%' AND b NOT LIKE '%y' ESCAPE '!'",
           "SELECT a FROM t WHERE a IS NULL OR b IS NOT NULL",
           "SELECT a FROM t WHERE a IS TRUE OR b IS NOT FALSE",
           "SELECT a FROM t WHERE a IS DISTINCT FROM b",
           "SELECT CASE WHEN a > 1 THEN 'x' WHEN a < 0 THEN 'y' ELSE 'z' END FROM t",
           "SELECT CASE a WHEN 1 THEN 'x' END FROM t",
           "SELECT CAST(a AS INTEGER), CAST(b AS VARCHAR(10)) FROM t",
           "SELECT CAST(a AS double precision) FROM t",
           "SELECT EXTRACT(YEAR FROM ts) FROM t",
           "SELECT SUBSTRING(a FROM 1 FOR 2), TRIM(LEADING 'x' FROM b), TRIM(c) FROM t",
           "SELECT POSITION('x' IN a) FROM t",
           "SELECT COUNT(DISTINCT a), SUM(a) FILTER (WHERE b > 1) FROM t",
           "SELECT -a, +b, - - 3, 1.5, .5, 1e5, 2 % 3 FROM t",
           "SELECT \"a b\", \"c\"\"d\" FROM \"T\"",
           "SELECT 'it''s', '' FROM t",
           "SELECT a /* x */ FROM t -- y",
           "SELECT a FROM t ORDER BY a ASC NULLS FIRST, b DESC NULLS LAST",
           "SELECT a FROM t OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY",
           "SELECT a FROM t LIMIT ALL",
           "SELECT DATE '2024-01-01', INTERVAL '1' DAY FROM t",
           "SELECT a FROM t WHERE (a = 1 OR b = 2) AND (c <> 3 OR d != 4)",
           "SELECT LEFT(a, 2), ts AT TIME ZONE 'UTC' FROM t",
           "SELECT a FROM t;",
       }) {
    CAPTURE(text);
    const auto statement = Parse(text);
    INFO(statement.status().message());
    REQUIRE(statement.ok());
    CHECK(PostgresItemCount(text) == statement->select.items.size());
  }
}

TEST_CASE("both grammars refuse the same mistakes") {
  for (const std::string text : {
           "SELEC 1",
           "SELECT a, FROM t",
           "SELECT a FROM",
           "SELECT a FROM t WHERE",
           "SELECT a FROM t WHERE a >",
           "SELECT a FROM t WHERE a IN ()",
           "SELECT a FROM t WHERE a BETWEEN 1",
           "SELECT a FROM t WHERE a BETWEEN 1 OR 2",
           "SELECT a FROM t GROUP a",
           "SELECT a FROM t ORDER BY",
           "SELECT a FROM t LIMIT 1 LIMIT 2",
           "SELECT a FROM t WHERE a LIMIT 1 WHERE b",
           "SELECT (a FROM t",
           "SELECT a) FROM t",
           "SELECT f(a, FROM t",
           "SELECT CASE WHEN a THEN b FROM t",
           "SELECT CASE a END FROM t",
           "SELECT CAST(a INTEGER) FROM t",
           "SELECT 'abc",
           "SELECT \"abc",
           "SELECT a /* b FROM t",
           "SELECT a b c FROM t",
           "SELECT a FROM t WHERE a NOT 5",
           "SELECT a FROM t WHERE a IS 5",
           "SELECT a AS FROM t",
           "SELECT a FROM t ORDER BY a NULLS",
           "SELECT `a` FROM t",
       }) {
    CAPTURE(text);
    CHECK_FALSE(PostgresItemCount(text).has_value());
    CHECK_FALSE(Parse(text).ok());
  }
}

}  // namespace
}  // namespace trellis::sql
