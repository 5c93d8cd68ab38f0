#include "broker/bind/binder.h"

#include "tests/unit/broker/bind/bound_query.h"

namespace trellis::broker {
namespace {

using plan::QueryShape;

}  // namespace

TEST_CASE("a query without LIMIT asks for ten rows") {
  CHECK(MustBind("SELECT i FROM t").plan.leaf.limit == 10);
  CHECK(MustBind("SELECT s, COUNT(*) FROM t GROUP BY s").plan.reduce.limit == 10);
  CHECK(MustBind("SELECT i FROM t LIMIT 3").plan.reduce.limit == 3);
}

TEST_CASE("OFFSET counts for an ordered selection only") {
  const BoundQuery ordered = MustBind("SELECT i FROM t ORDER BY i LIMIT 5 OFFSET 7");
  CHECK(ordered.plan.leaf.limit == 12);
  CHECK(ordered.plan.reduce.offset == 7);
  CHECK(MustBind("SELECT i FROM t LIMIT 5 OFFSET 7").plan.reduce.offset == 0);
  CHECK(MustBind("SELECT s, COUNT(*) FROM t GROUP BY s LIMIT 5 OFFSET 7").plan.reduce.offset == 0);
  CHECK(MustBind("SELECT DISTINCT s FROM t LIMIT 5 OFFSET 7").plan.reduce.offset == 0);
}

TEST_CASE("LIMIT 0 asks the leaves for nothing") {
  CHECK(MustBind("SELECT i FROM t ORDER BY i LIMIT 0 OFFSET 7").plan.leaf.limit == 0);
}

TEST_CASE("* names every column in Java's order, and no virtual ones") {
  const std::vector<std::string> all{"CamelCase", "b",  "d", "f",   "i", "j", "l",
                                     "m",         "mv", "o", "raw", "s", "ts"};
  CHECK(MustBind("SELECT * FROM t").plan.reduce.output_names == all);
  const auto names = MustBind("SELECT $docId, * FROM t").plan.reduce.output_names;
  REQUIRE(names.size() == all.size() + 1);
  CHECK(names[0] == "$docId");
  CHECK(names[1] == "CamelCase");
}

TEST_CASE("an ordered selection sends its sort columns in front of the selected ones") {
  const BoundQuery query = MustBind("SELECT s FROM t ORDER BY i DESC, l, i");
  CHECK(query.plan.leaf.order_by.size() == 2);  // the second i decides nothing
  CHECK_FALSE(query.plan.reduce.order_by.at(0).ascending);
  CHECK(query.plan.reduce.order_by.at(1).expression.name == "#1");
  CHECK(query.plan.reduce.output.at(0).name == "#2");
}

TEST_CASE("nulls are largest unless the query says otherwise") {
  const auto first = [](const std::string& order) {
    return MustBind("SELECT i FROM t ORDER BY " + order).plan.reduce.order_by.at(0).nulls_first;
  };
  CHECK_FALSE(first("i"));
  CHECK(first("i DESC"));
  CHECK(first("i NULLS FIRST"));
  CHECK_FALSE(first("i DESC NULLS LAST"));
}

TEST_CASE("aliases and ordinals stand for select expressions") {
  const BoundQuery alias =
      MustBind("SELECT i + 1 AS x, COUNT(*) AS n FROM t GROUP BY x HAVING n > 2 ORDER BY n, x");
  CHECK(alias.plan.leaf.shape == QueryShape::kGroupBy);
  CHECK(plan::PrintExpression(alias.plan.leaf.keys.at(0)) == "plus(i,'1')");
  CHECK(alias.plan.reduce.having->predicate.subject.name == "#1");
  CHECK(alias.plan.reduce.output_names == std::vector<std::string>{"x", "n"});
  const BoundQuery ordinal = MustBind("SELECT s, COUNT(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1");
  CHECK(ordinal.plan.leaf.keys.at(0).name == "s");
  CHECK(ordinal.plan.reduce.order_by.at(0).expression.name == "#1");
  CHECK(ordinal.plan.reduce.order_by.at(1).expression.name == "#0");
}

TEST_CASE("an alias wins over a column of the same name, but not in WHERE") {
  const BoundQuery query = MustBind("SELECT l AS i FROM t WHERE i = 5 ORDER BY i");
  CHECK(query.plan.leaf.filter.predicate.subject.name == "i");
  CHECK(query.plan.leaf.order_by.at(0).expression.name == "l");
  RequireRefused("SELECT l AS x FROM t WHERE x = 5", PinotCode::kUnknownColumn, "'x'");
}

TEST_CASE("GROUP BY over exactly the select list is DISTINCT, else it is ignored") {
  CHECK(MustBind("SELECT s, i FROM t GROUP BY i, s").plan.leaf.shape == QueryShape::kDistinct);
  CHECK(MustBind("SELECT s FROM t GROUP BY i, s").plan.leaf.shape == QueryShape::kSelection);
  CHECK(MustBind("SELECT s FROM t GROUP BY s ORDER BY COUNT(*)").plan.leaf.shape ==
        QueryShape::kGroupBy);
  RequireRefused("SELECT s FROM t GROUP BY s HAVING COUNT(*) > 1", PinotCode::kQueryValidation,
                 "HAVING");
}

TEST_CASE("HAVING without GROUP BY is ignored") {
  const BoundQuery query = MustBind("SELECT COUNT(*) FROM t HAVING COUNT(*) > 5");
  CHECK(query.plan.leaf.shape == QueryShape::kAggregate);
  CHECK_FALSE(query.plan.reduce.having.has_value());
}

TEST_CASE("shapes that are no query are refused with 150") {
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT DISTINCT * FROM t", "DISTINCT *"},
           {"SELECT DISTINCT SUM(i) FROM t", "DISTINCT with an aggregation"},
           {"SELECT DISTINCT s FROM t GROUP BY s", "DISTINCT with GROUP BY"},
           {"SELECT DISTINCT s FROM t LIMIT 0", "LIMIT 0"},
           {"SELECT DISTINCT s FROM t ORDER BY i", "needs a selected expression"},
           {"SELECT s, COUNT(*) FROM t", "neither in GROUP BY"},
           {"SELECT *, COUNT(*) FROM t", "'*' beside an aggregation"},
           {"SELECT COUNT(*) FROM t GROUP BY SUM(i)", "GROUP BY"},
           {"SELECT i AS a, l AS a FROM t", "given twice"},
           {"SELECT i FROM t ORDER BY 2", "there are 1 select items"},
           {"SELECT s, COUNT(*) FROM t GROUP BY 0", "there are 2 select items"}})
    RequireRefused(text, PinotCode::kSqlParsing, part);
}

TEST_CASE("values that have no order are refused in ORDER BY") {
  RequireRefused("SELECT i FROM t ORDER BY mv", PinotCode::kQueryValidation, "cannot ORDER BY");
  RequireRefused("SELECT i FROM t ORDER BY m", PinotCode::kQueryValidation, "cannot ORDER BY");
}

TEST_CASE("an unknown table is refused with 190 and the nearest name") {
  RequireRefused("SELECT i FROM tt", PinotCode::kTableDoesNotExist, "did you mean 't'?");
  CHECK(MustBind("SELECT i FROM T_offline").plan.leaf.table == "t_OFFLINE");
}

TEST_CASE("a SELECT of literals needs no table") {
  const BoundQuery query = MustBind("SELECT 1, 'a', 2.5 AS x, 1 + 1");
  CHECK(query.table == nullptr);
  CHECK(query.literals ==
        std::vector{Value::Int(1), Value::String("a"), Value::Double(2.5), Value::Long(2)});
  CHECK(query.plan.reduce.output_names == std::vector<std::string>{"1", "'a'", "x", "2"});
  CHECK(MustBind("SELECT 1 FROM t").table == nullptr);
  CHECK(MustBind("SELECT 1 LIMIT 0").plan.reduce.limit == 0);
  CHECK(MustBind("SELECT 1 FROM t LIMIT 0").plan.reduce.limit == 0);
  RequireRefused("SELECT i", PinotCode::kQueryValidation, "without FROM");
}

TEST_CASE("a condition that folds to FALSE asks no server") {
  CHECK(MustBind("SELECT i FROM t WHERE i > 5000000000").matches_nothing);
  CHECK(MustBind("SELECT i FROM t WHERE i <> i").matches_nothing);
  CHECK_FALSE(MustBind("SELECT i FROM t WHERE i > 5").matches_nothing);
}

TEST_CASE("the text's options come before the request's") {
  const BoundQuery query = MustBind("SET timeoutMs = 5; SELECT i FROM t",
                                    {{"timeoutMs", "9"}, {"enableNullHandling", "true"}});
  CHECK(query.options.timeout_ms == 5);
  CHECK(query.plan.leaf.null_handling);
  CHECK(MustBind("SELECT i FROM t OPTION(numGroupsLimit=3)").plan.leaf.groups_max == 3);
  RequireRefused("SELECT i FROM t", PinotCode::kQueryValidation, "useMultistageEngine",
                 {{"useMultistageEngine", "true"}});
}

TEST_CASE("EXPLAIN PLAN FOR is kept as a mark on the query") {
  CHECK(MustBind("EXPLAIN PLAN FOR SELECT i FROM t").explain);
  CHECK_FALSE(MustBind("SELECT i FROM t").explain);
}

}  // namespace trellis::broker
