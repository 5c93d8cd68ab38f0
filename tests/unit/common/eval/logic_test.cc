#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/common/eval/expressions.h"

namespace trellis::eval {
namespace {

Table Truths() {
  Table t;
  const Value yes = Value::Boolean(true), no = Value::Boolean(false),
              null = Value::Null(DataType::kBoolean);
  t.With("a", {yes, yes, yes, no, no, null});
  t.With("b", {yes, no, null, no, null, null});
  return t;
}

TEST_CASE("and, or, not are three-valued under null handling") {
  Table t = Truths();
  CHECK(t.Show(Fn("and", {t.Col("a"), t.Col("b")}), true) ==
        "BOOLEAN: true, false, null, false, false, null");
  CHECK(t.Show(Fn("or", {t.Col("a"), t.Col("b")}), true) ==
        "BOOLEAN: true, true, true, false, null, null");
  CHECK(t.Show(Fn("not", {t.Col("a")}), true) == "BOOLEAN: false, false, false, true, true, null");
  CHECK(t.Show(Fn("and", {t.Col("a"), t.Col("b")}), false) ==
        "BOOLEAN: true, false, false, false, false, false");
}

TEST_CASE("truth and null tests are never null") {
  Table t = Truths();
  CHECK(t.Show(Fn("is_true", {t.Col("b")}), true) ==
        "BOOLEAN: true, false, false, false, false, false");
  CHECK(t.Show(Fn("is_not_false", {t.Col("b")}), true) ==
        "BOOLEAN: true, false, true, false, true, true");
  CHECK(t.Show(Fn("is_null", {t.Col("b")}), false) ==
        "BOOLEAN: false, false, true, false, true, true");
  CHECK(t.Show(Fn("is_distinct_from", {t.Col("a"), t.Col("b")}), true) ==
        "BOOLEAN: false, true, true, false, true, false");
}

TEST_CASE("an integer column compares exactly with a fraction") {
  Table t;
  t.With("x", {Value::Int(1), Value::Int(2)});
  CHECK(t.Show(Fn("equals", {t.Col("x"), Lit(1.5)})) == "BOOLEAN: false, false");
  CHECK(t.Show(Fn("greater_than", {t.Col("x"), Lit(1.5)})) == "BOOLEAN: false, true");
  CHECK(t.Show(Fn("less_than_or_equal", {Lit(1), t.Col("x")})) == "BOOLEAN: true, true");
  CHECK(t.Show(Fn("equals", {t.Col("x"), Lit("2")})) == "BOOLEAN: false, true");
  CHECK(t.Show(Fn("equals", {t.Col("x"), Lit("abc")})) == "error 700");
}

TEST_CASE("a long and a double beyond 2^53 compare exactly") {
  Table t;
  const int64_t big = (int64_t{1} << 53) + 1;
  t.With("l", {Value::Long(big), Value::Long(std::numeric_limits<int64_t>::max())});
  t.With("d", {Value::Double(9007199254740992.0), Value::Double(9223372036854775808.0)});
  CHECK(t.Show(Fn("equals", {t.Col("l"), t.Col("d")})) == "BOOLEAN: false, false");
  CHECK(t.Show(Fn("greater_than", {t.Col("l"), t.Col("d")})) == "BOOLEAN: true, false");
  CHECK(t.Show(Fn("greater_than", {t.Col("d"), t.Col("l")})) == "BOOLEAN: false, true");
}

TEST_CASE("a float column sees a decimal literal as a float") {
  Table t;
  t.With("f", {Value::Float(0.1F), Value::Float(0.2F)});
  CHECK(t.Show(Fn("equals", {t.Col("f"), Lit(0.1)})) == "BOOLEAN: true, false");
}

TEST_CASE("NaN equals itself and is above everything in comparisons") {
  Table t;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  t.With("a", {Value::Double(nan), Value::Double(-0.0)});
  t.With("b", {Value::Double(nan), Value::Double(0.0)});
  CHECK(t.Show(Fn("equals", {t.Col("a"), t.Col("b")})) == "BOOLEAN: true, false");
  CHECK(t.Show(Fn("less_than", {t.Col("a"), t.Col("b")})) == "BOOLEAN: false, true");
}

TEST_CASE("text is ordered by UTF-16 code units and compared with numbers by value") {
  Table t;
  t.With("s", {Value::String("\xF0\x9F\x9A\x80"), Value::String("10.0")});
  t.With("u", {Value::String("\xEF\xBF\xBD"), Value::String("9")});
  t.With("n", {Value::Int(1), Value::Int(10)});
  CHECK(t.Show(Fn("less_than", {t.Col("s"), t.Col("u")})) == "BOOLEAN: true, true");
  CHECK(t.Show(Fn("equals", {t.Col("s"), t.Col("n")})) == "BOOLEAN: false, true");
}

TEST_CASE("in, not_in and between") {
  Table t;
  t.With("x", {Value::Int(1), Value::Int(2), Value::Null(DataType::kInt)});
  CHECK(t.Show(Fn("in", {t.Col("x"), Lit(1), Lit(7)}), true) == "BOOLEAN: true, false, null");
  CHECK(t.Show(Fn("not_in", {t.Col("x"), Lit(1), Null()}), true) == "BOOLEAN: false, null, null");
  CHECK(t.Show(Fn("in", {t.Col("x"), Lit("z")})) == "error 700");
  CHECK(t.Show(Fn("in", {t.Col("x"), t.Col("x"), Lit(5)}), true) == "BOOLEAN: true, true, null");
  CHECK(t.Show(Fn("between", {t.Col("x"), Lit(2), Lit(9)}), true) == "BOOLEAN: false, true, null");
  CHECK(t.Show(Fn("between", {t.Col("x"), Lit(0.5), Lit(1.5)}), true) ==
        "BOOLEAN: true, false, null");
  Table m;
  m.With("mv", {Value::Array(DataType::kString, {Value::String("a"), Value::String("b")})}, true);
  CHECK(m.Show(Fn("in", {m.Col("mv"), Lit("b")})) == "BOOLEAN: true");
  CHECK(m.Show(Fn("equals", {m.Col("mv"), Lit("b")})) == "error 700");
}

TEST_CASE("case takes the first true branch, widens numbers and leaves placeholders") {
  Table t;
  t.With("id", {Value::Int(0), Value::Int(2), Value::Int(5)});
  const auto over = [&](int n) { return Fn("greater_than", {t.Col("id"), Lit(n)}); };
  CHECK(t.Show(Fn("case", {over(3), Lit(1), over(1), Lit(2.5), Lit(0)})) ==
        "DOUBLE: 0.0, 2.5, 1.0");
  CHECK(t.Show(Fn("case", {over(3), Lit("p"), over(1), Lit("q")}), true) == "STRING: null, q, p");
  CHECK(t.Show(Fn("case", {over(3), Lit(1), Lit("x")})) == "error 700");
  CHECK(t.Show(Fn("case", {over(3), Lit(1), Lit("7")})) == "INT: 7, 7, 1");
  const auto evaluator =
      Evaluator::Create(Fn("case", {over(3), Lit(1), Null()}), Layer::kTransform, {});
  REQUIRE(evaluator.ok());
  auto copy = *evaluator;
  const auto result = copy.Evaluate(t);
  REQUIRE(result.ok());
  CHECK((*result)->values<int32_t>() == std::vector<int32_t>{0, 0, 1});
}

TEST_CASE("coalesce widens numbers and turns other mixes into text") {
  Table t;
  t.With("x", {Value::Int(1), Value::Null(DataType::kInt)});
  CHECK(t.Show(Fn("coalesce", {t.Col("x"), Lit(2.5)}), true) == "DOUBLE: 1.0, 2.5");
  CHECK(t.Show(Fn("coalesce", {t.Col("x"), Lit("n")}), true) == "STRING: 1, n");
  CHECK(t.Show(Fn("coalesce", {t.Col("x"), Null()}), true) == "INT: 1, null");
}

TEST_CASE("nullif fails on columns as recorded") {
  Table t;
  t.With("s", {Value::String("cat1")});
  CHECK(t.Show(Fn("nullif", {t.Col("s"), Lit("cat1")})) == "error 200");
}

}  // namespace
}  // namespace trellis::eval
