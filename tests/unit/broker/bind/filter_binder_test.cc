#include "broker/bind/filter_binder.h"

#include "tests/unit/broker/bind/bound_query.h"

namespace trellis::broker {
namespace {

using Kind = plan::Filter::Kind;
using Test = plan::Predicate::Kind;

plan::Filter Where(const std::string& condition) {
  return MustBind("SELECT i FROM t WHERE " + condition).plan.leaf.filter;
}

plan::Predicate Predicate(const std::string& condition) {
  const plan::Filter filter = Where(condition);
  INFO(condition);
  REQUIRE(filter.kind == Kind::kPredicate);
  return filter.predicate;
}

void Refused(const std::string& condition, PinotCode code, std::string_view part) {
  RequireRefused("SELECT i FROM t WHERE " + condition, code, part);
}

}  // namespace

TEST_CASE("a literal on the left turns the comparison round") {
  for (const auto& [left, right] : {std::pair("10 < i", "i > 10"),
                                    {"10 <= i", "i >= 10"},
                                    {"10 > i", "i < 10"},
                                    {"10 >= i", "i <= 10"},
                                    {"10 = i", "i = 10"},
                                    {"10 <> i", "i <> 10"}}) {
    INFO(left);
    CHECK(Where(left) == Where(right));
  }
  CHECK_FALSE(Where("i > 10") == Where("i < 10"));
}

TEST_CASE("comparisons become equality and range tests with the column's own values") {
  const plan::Predicate equal = Predicate("l = 5");
  CHECK(equal.kind == Test::kEqual);
  CHECK(equal.values == std::vector{Value::Long(5)});
  const plan::Predicate greater = Predicate("i >= '7'");
  CHECK(greater.kind == Test::kRange);
  CHECK(greater.lower == Value::Int(7));
  CHECK(greater.lower_inclusive);
  CHECK_FALSE(greater.upper.has_value());
  CHECK(Predicate("s <> 5.0").values == std::vector{Value::String("5.0")});
}

TEST_CASE("BETWEEN is one range, so that one element of a multi-value row must lie inside") {
  const plan::Predicate between = Predicate("mv BETWEEN 2 AND 4");
  CHECK(between.kind == Test::kRange);
  CHECK(between.lower == Value::Int(2));
  CHECK(between.upper == Value::Int(4));
  CHECK(between.lower_inclusive);
  CHECK(between.upper_inclusive);
  CHECK(Where("i BETWEEN 5000000000 AND 6000000000").kind == Kind::kFalse);
  CHECK(Where("i BETWEEN 3 AND 6000000000") == Where("i >= 3"));
  CHECK(Where("i BETWEEN -6000000000 AND 3") == Where("i <= 3"));
  CHECK(Where("NOT i BETWEEN 1 AND 2").kind == Kind::kNot);
  Refused("i BETWEEN l AND 4", PinotCode::kSqlParsing, "BETWEEN needs literals");
}

TEST_CASE("IN drops repeated literals, and one literal alone is an equality") {
  const plan::Predicate in = Predicate("i IN (3, 1, 3)");
  CHECK(in.kind == Test::kIn);
  CHECK(in.values == std::vector{Value::Int(3), Value::Int(1)});
  CHECK(Predicate("i NOT IN (3, 1)").kind == Test::kNotIn);
  CHECK(Where("i IN (3)") == Where("i = 3"));
  CHECK(Where("i NOT IN (3)") == Where("i <> 3"));
  CHECK(Where("i IN (1.5)").kind == Kind::kFalse);
  Refused("i IN (1.5, 2)", PinotCode::kQueryValidation, "1.5");
  Refused("i IN (1, 5000000000)", PinotCode::kQueryValidation, "5000000000");
  Refused("i IN (1, l)", PinotCode::kSqlParsing, "list of literals");
  Refused("i IN (1, NULL)", PinotCode::kSqlParsing, "NULL");
}

TEST_CASE("NULL on the right of a predicate is refused with 150") {
  for (const char* condition :
       {"i = NULL", "i <> NULL", "NULL < i", "NULL = NULL", "i BETWEEN NULL AND 3"})
    Refused(condition, PinotCode::kSqlParsing, "IS NULL");
}

TEST_CASE("one expression compared with itself folds, nulls notwithstanding") {
  for (const char* condition : {"i = i", "i >= i", "i <= i"}) {
    INFO(condition);
    CHECK(Where(condition).kind == Kind::kTrue);
  }
  for (const char* condition : {"i <> i", "i < i", "i > i"}) {
    INFO(condition);
    CHECK(Where(condition).kind == Kind::kFalse);
  }
}

TEST_CASE("two columns are compared by a function that must be true") {
  const plan::Predicate predicate = Predicate("i > l");
  CHECK(predicate.kind == Test::kEqual);
  CHECK(predicate.subject.name == "greater_than");
  CHECK(predicate.values == std::vector{Value::Boolean(true)});
  CHECK(Predicate("b").subject == plan::Expression::Column("b", {DataType::kBoolean, false}));
  CHECK(Predicate("startsWith(s, 'a')").values == std::vector{Value::Boolean(true)});
}

TEST_CASE("a value that cannot be true is no condition") {
  Refused("ts", PinotCode::kQueryValidation, "a condition is expected");
  Refused("i", PinotCode::kQueryValidation, "a condition is expected");
  Refused("5", PinotCode::kSqlParsing, "a condition is expected");
}

TEST_CASE("AND and OR drop what is decided and are decided by what decides") {
  CHECK(Where("i = 1 AND TRUE") == Where("i = 1"));
  CHECK(Where("i = 1 OR FALSE") == Where("i = 1"));
  CHECK(Where("i = 1 AND FALSE").kind == Kind::kFalse);
  CHECK(Where("i = 1 OR TRUE").kind == Kind::kTrue);
  CHECK(Where("NOT (i = i)").kind == Kind::kFalse);
  CHECK(Where("i = 1 AND l = 2 AND d > 3").children.size() == 3);
  CHECK(Where("i = 1 OR l = 2").kind == Kind::kOr);
}

TEST_CASE("a condition that is decided still has its errors") {
  Refused("FALSE AND nosuch = 1", PinotCode::kUnknownColumn, "nosuch");
  Refused("i <> i AND i = 'abc'", PinotCode::kQueryValidation, "abc");
}

TEST_CASE("patterns need text and a literal") {
  const plan::Predicate like = Predicate("s LIKE 'a%'");
  CHECK(like.kind == Test::kLike);
  CHECK(like.pattern == "a%");
  const plan::Predicate regexp = Predicate("REGEXP_LIKE(s, '^a', 'i')");
  CHECK(regexp.kind == Test::kRegexpLike);
  CHECK(regexp.ignore_case);
  CHECK_FALSE(Predicate("REGEXP_LIKE(s, '^a')").ignore_case);
  CHECK_FALSE(Predicate("REGEXP_LIKE(s, '^a', 'c')").ignore_case);
  Refused("i LIKE 'a%'", PinotCode::kQueryValidation, "needs a STRING");
  Refused("s LIKE s", PinotCode::kSqlParsing, "literal pattern");
  Refused("REGEXP_LIKE(s, '^a', 'x')", PinotCode::kQueryValidation, "third argument");
}

TEST_CASE("null tests keep their subject and are decided for literals") {
  CHECK(Predicate("i IS NULL").kind == Test::kIsNull);
  CHECK(Predicate("i IS NOT NULL").kind == Test::kIsNotNull);
  CHECK(Where("NULL IS NULL").kind == Kind::kTrue);
  CHECK(Where("5 IS NULL").kind == Kind::kFalse);
}

TEST_CASE("MAP and JSON columns refuse the comparisons they cannot have") {
  Refused("m = 'x'", PinotCode::kQueryValidation, "cannot be compared");
  Refused("j > 'x'", PinotCode::kQueryValidation, "cannot be compared");
  CHECK(Predicate("j = 'x'").kind == Test::kEqual);
  CHECK(Predicate("m['k'] > 3").lower == Value::Long(3));
}

TEST_CASE("index predicates that are not built are refused by name") {
  Refused("TEXT_MATCH(s, 'x')", PinotCode::kQueryValidation, "text_match is not supported");
  Refused("JSON_MATCH(j, '\"$.a\" = 1')", PinotCode::kQueryValidation,
          "json_match is not supported");
}

TEST_CASE("a literal of the wrong form names its place") {
  Refused("i = 'abc'", PinotCode::kQueryValidation, "(line 1, column 27)");
}

}  // namespace trellis::broker
