#include "common/predicate/value_matcher.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

namespace trellis {
namespace {

using plan::Predicate;
using Kind = plan::Predicate::Kind;
using Hits = std::vector<uint8_t>;

Predicate Over(DataType type, Kind kind) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.subject = plan::Expression::Column("x", {type, false});
  return predicate;
}

Predicate ListOf(DataType type, Kind kind, std::vector<Value> values) {
  Predicate predicate = Over(type, kind);
  predicate.values = std::move(values);
  return predicate;
}

Predicate RangeOf(DataType type, std::optional<Value> lower, bool lower_inclusive,
                  std::optional<Value> upper, bool upper_inclusive) {
  Predicate predicate = Over(type, Kind::kRange);
  predicate.lower = std::move(lower);
  predicate.lower_inclusive = lower_inclusive;
  predicate.upper = std::move(upper);
  predicate.upper_inclusive = upper_inclusive;
  return predicate;
}

Predicate PatternOf(Kind kind, std::string pattern, bool ignore_case = false) {
  Predicate predicate = Over(DataType::kString, kind);
  predicate.pattern = std::move(pattern);
  predicate.ignore_case = ignore_case;
  return predicate;
}

Hits Match(const Predicate& predicate, const std::vector<Value>& values) {
  ColumnVector vector(predicate.subject.type);
  for (const Value& value : values) vector.Append(value);
  const auto matcher = ValueMatcher::Create(predicate);
  INFO(matcher.status().message());
  REQUIRE(matcher.ok());
  Hits hits;
  (*matcher)->MatchFlat(vector, hits);
  return hits;
}

std::vector<Value> Ints(int32_t from, int32_t to) {
  std::vector<Value> values;
  for (int32_t i = from; i <= to; ++i) values.push_back(Value::Int(i));
  return values;
}

Value Decimal(const char* text) {
  auto value = ParseValue(text, DataType::kBigDecimal);
  REQUIRE(value.ok());
  return *value;
}

}  // namespace

TEST_CASE("equality and sets match their values, few or many") {
  CHECK(Match(ListOf(DataType::kInt, Kind::kEqual, {Value::Int(2)}), Ints(1, 3)) == Hits{0, 1, 0});
  CHECK(Match(ListOf(DataType::kInt, Kind::kIn, {Value::Int(1), Value::Int(3)}), Ints(1, 3)) ==
        Hits{1, 0, 1});
  CHECK(Match(ListOf(DataType::kInt, Kind::kIn, Ints(10, 40)), Ints(9, 11)) == Hits{0, 1, 1});
  CHECK(Match(ListOf(DataType::kLong, Kind::kEqual, {Value::Long(1)}),
              {Value::Long(1), Value::Long(4294967297)}) == Hits{1, 0});
  CHECK(Match(ListOf(DataType::kBoolean, Kind::kEqual, {Value::Boolean(true)}),
              {Value::Boolean(true), Value::Boolean(false)}) == Hits{1, 0});
}

TEST_CASE("negative predicates are prepared as their opposites and say so") {
  const Predicate differs = ListOf(DataType::kInt, Kind::kNotEqual, {Value::Int(2)});
  CHECK(Match(differs, Ints(1, 3)) == Hits{0, 1, 0});
  CHECK((*ValueMatcher::Create(differs))->negated());
  CHECK((*ValueMatcher::Create(ListOf(DataType::kInt, Kind::kNotIn, Ints(1, 2))))->negated());
  CHECK_FALSE((*ValueMatcher::Create(ListOf(DataType::kInt, Kind::kIn, Ints(1, 2))))->negated());
}

TEST_CASE("ranges include their ends only where they say so") {
  const auto hits = [](bool lower, bool upper) {
    return Match(RangeOf(DataType::kInt, Value::Int(2), lower, Value::Int(4), upper), Ints(1, 5));
  };
  CHECK(hits(true, true) == Hits{0, 1, 1, 1, 0});
  CHECK(hits(false, true) == Hits{0, 0, 1, 1, 0});
  CHECK(hits(true, false) == Hits{0, 1, 1, 0, 0});
  CHECK(hits(false, false) == Hits{0, 0, 1, 0, 0});
  CHECK(Match(RangeOf(DataType::kInt, Value::Int(4), true, Value::Int(2), true), Ints(1, 5)) ==
        Hits{0, 0, 0, 0, 0});
  CHECK(Match(RangeOf(DataType::kInt, {}, false, Value::Int(2), false), Ints(1, 3)) ==
        Hits{1, 0, 0});
  CHECK(Match(RangeOf(DataType::kInt, Value::Int(2), false, {}, false), Ints(1, 3)) ==
        Hits{0, 0, 1});
}

TEST_CASE("NaN lies in no range") {
  const std::vector<Value> values{Value::Double(std::nan("")), Value::Double(5)};
  CHECK(Match(RangeOf(DataType::kDouble, Value::Double(1), true, {}, false), values) == Hits{0, 1});
  CHECK(Match(RangeOf(DataType::kDouble, {}, false, Value::Double(9), true), values) == Hits{0, 1});
}

TEST_CASE("text ranges are in UTF-16 order, bytes in their own") {
  const std::string emoji = "\xf0\x9f\x98\x80";    // U+1F600
  const std::string replacement = "\xef\xbf\xbd";  // U+FFFD: above it in UTF-16, below in UTF-8
  CHECK(Match(RangeOf(DataType::kString, Value::String(emoji), false, {}, false),
              {Value::String(replacement), Value::String("a")}) == Hits{1, 0});
  CHECK(Match(RangeOf(DataType::kBytes, Value::Bytes(DataType::kBytes, emoji), false, {}, false),
              {Value::Bytes(DataType::kBytes, replacement),
               Value::Bytes(DataType::kBytes, "\xff")}) == Hits{0, 1});
  CHECK(Match(RangeOf(DataType::kString, Value::String("a"), true, Value::String("b"), false),
              {Value::String("a"), Value::String("az"), Value::String("b")}) == Hits{1, 1, 0});
}

TEST_CASE("text equality is exact") {
  CHECK(Match(ListOf(DataType::kString, Kind::kIn, {Value::String("a"), Value::String("")}),
              {Value::String("a"), Value::String("A"), Value::String(""), Value::String("a ")}) ==
        Hits{1, 0, 1, 0});
}

TEST_CASE("decimals are compared by value, whatever their scale") {
  CHECK(Match(ListOf(DataType::kBigDecimal, Kind::kEqual, {Decimal("1.0")}),
              {Decimal("1.000"), Decimal("1.001")}) == Hits{1, 0});
  CHECK(Match(RangeOf(DataType::kBigDecimal, Decimal("9"), false, Decimal("10"), true),
              {Decimal("9.0"), Decimal("9.5"), Decimal("10.00"), Decimal("100")}) ==
        Hits{0, 1, 1, 0});
}

TEST_CASE("LIKE matches the whole text without case, REGEXP_LIKE finds with case") {
  const std::vector<Value> values{Value::String("abc"), Value::String("ABC"),
                                  Value::String("xabcx")};
  CHECK(Match(PatternOf(Kind::kLike, "a_c"), values) == Hits{1, 1, 0});
  CHECK(Match(PatternOf(Kind::kLike, "%b%"), values) == Hits{1, 1, 1});
  CHECK(Match(PatternOf(Kind::kRegexpLike, "abc"), values) == Hits{1, 0, 1});
  CHECK(Match(PatternOf(Kind::kRegexpLike, "^abc$"), values) == Hits{1, 0, 0});
  CHECK(Match(PatternOf(Kind::kRegexpLike, "abc", true), values) == Hits{1, 1, 1});
}

TEST_CASE("a pattern that cannot be compiled is refused with 700") {
  const auto matcher = ValueMatcher::Create(PatternOf(Kind::kRegexpLike, "(a"));
  REQUIRE_FALSE(matcher.ok());
  CHECK(matcher.status().pinot_code() == PinotCode::kQueryValidation);
}

TEST_CASE("every element of a multi-value vector is tested") {
  Predicate predicate = ListOf(DataType::kInt, Kind::kEqual, {Value::Int(2)});
  predicate.subject.type.multi_value = true;
  CHECK(Match(predicate, {Value::Array(DataType::kInt, Ints(1, 3)),
                          Value::Array(DataType::kInt, Ints(2, 2))}) == Hits{0, 1, 0, 1});
}

}  // namespace trellis
