#include <catch2/catch.hpp>

#include "common/plan/filter.h"

namespace trellis::plan {
namespace {

Predicate Of(Predicate::Kind kind, std::vector<Value> values = {}) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.subject = Expression::Column("x", {DataType::kInt, false});
  predicate.values = std::move(values);
  return predicate;
}

Predicate Range(std::optional<int> lower, bool lower_inclusive, std::optional<int> upper,
                bool upper_inclusive) {
  Predicate predicate = Of(Predicate::Kind::kRange);
  if (lower) predicate.lower = Value::Int(*lower);
  if (upper) predicate.upper = Value::Int(*upper);
  predicate.lower_inclusive = lower_inclusive;
  predicate.upper_inclusive = upper_inclusive;
  return predicate;
}

std::string Like(std::string pattern) {
  Predicate predicate = Of(Predicate::Kind::kLike);
  predicate.pattern = std::move(pattern);
  return PrintPredicate(predicate);
}

}  // namespace

TEST_CASE("a comparison prints its literal in quotes") {
  CHECK(PrintPredicate(Of(Predicate::Kind::kEqual, {Value::Int(5)})) == "x = '5'");
  CHECK(PrintPredicate(Of(Predicate::Kind::kNotEqual, {Value::String("AL")})) == "x != 'AL'");
  CHECK(PrintPredicate(Of(Predicate::Kind::kIn, {Value::Int(1), Value::Int(2)})) ==
        "x IN ('1','2')");
  CHECK(PrintPredicate(Of(Predicate::Kind::kNotIn, {Value::Int(1)})) == "x NOT IN ('1')");
  CHECK(PrintPredicate(Of(Predicate::Kind::kIsNull)) == "x IS NULL");
  CHECK(PrintPredicate(Of(Predicate::Kind::kIsNotNull)) == "x IS NOT NULL");
}

TEST_CASE("a range prints BETWEEN only where both its bounds belong to it") {
  CHECK(PrintPredicate(Range(3, false, {}, false)) == "x > '3'");
  CHECK(PrintPredicate(Range({}, false, 3, true)) == "x <= '3'");
  CHECK(PrintPredicate(Range(1, true, 3, true)) == "x BETWEEN '1' AND '3'");
  CHECK(PrintPredicate(Range(1, true, 3, false)) == "(x >= '1' AND x < '3')");
}

TEST_CASE("LIKE prints the regular expression it stands for") {
  CHECK(Like("a_c") == "regexp_like(x,'^a.c$','i')");
  CHECK(Like("%a.b%") == "regexp_like(x,'a\\.b','i')");
  CHECK(Like("a%b") == "regexp_like(x,'^a.*b$','i')");
  CHECK(Like("100\\%") == "regexp_like(x,'^100%$','i')");
  CHECK(Like("%") == "regexp_like(x,'','i')");
}

}  // namespace trellis::plan
