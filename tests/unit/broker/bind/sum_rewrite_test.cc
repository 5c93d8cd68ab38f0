#include "broker/bind/sum_rewrite.h"

#include "broker/sql/print.h"
#include "tests/unit/broker/bind/bound_query.h"

namespace trellis::broker {
namespace {

std::string Rewritten(const std::string& item) {
  sql::Expr expr = NormalItem(item);
  RewriteArithmeticAggregate(expr);
  return sql::PrintExpr(expr);
}

}  // namespace

TEST_CASE("an aggregation over one column and one literal is taken apart") {
  CHECK(Rewritten("SUM(i + 1)") == "add(sum(i),mult('1',count(i)))");
  CHECK(Rewritten("SUM(1 + i)") == "add(sum(i),mult('1',count(i)))");
  CHECK(Rewritten("SUM(i - 2)") == "sub(sum(i),mult('2',count(i)))");
  CHECK(Rewritten("SUM(2 - i)") == "sub(mult('2',count(i)),sum(i))");
  CHECK(Rewritten("SUM(i * 3)") == "mult(sum(i),'3')");
  CHECK(Rewritten("AVG(i + 1)") == "add(avg(i),'1')");
}

TEST_CASE("turning the sign round swaps MIN and MAX") {
  CHECK(Rewritten("MIN(i * -2)") == "mult(max(i),'-2')");
  CHECK(Rewritten("MAX(i * 2)") == "mult(max(i),'2')");
  CHECK(Rewritten("MAX(5 - i)") == "sub('5',min(i))");
  CHECK(Rewritten("MAX(i - 5)") == "sub(max(i),'5')");
}

TEST_CASE("every other aggregation stays as it is written") {
  for (const char* item :
       {"SUM(i + l)", "SUM(i / 2)", "SUM(abs(i) + 1)", "SUM(i)", "COUNT(*)", "MAX(i + 'a')",
        "PERCENTILE(i + 1, 50)", "SUM(i + 1) FILTER (WHERE l > 0)", "SUM(i + 1) + 1"}) {
    INFO(item);
    CHECK(Rewritten(item) == sql::PrintExpr(NormalItem(item)));
  }
}

}  // namespace trellis::broker
