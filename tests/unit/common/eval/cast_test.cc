#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/common/eval/expressions.h"

namespace trellis::eval {
namespace {

std::string Cast(Value from, const char* to) {
  Table t;
  t.With("x", {std::move(from)});
  return t.Show(Fn("cast", {t.Col("x"), Lit(to)}));
}

TEST_CASE("casts answer as recorded") {
  CHECK(Cast(Value::Int(-768), "STRING") == "STRING: -768");
  CHECK(Cast(Value::Float(-41.5F), "LONG") == "LONG: -41");
  CHECK(Cast(Value::Boolean(false), "INT") == "INT: 0");
  CHECK(Cast(Value::Timestamp(1704121200000), "LONG") == "LONG: 1704121200000");
  CHECK(Cast(Value::Timestamp(1704121200000), "STRING") == "STRING: 2024-01-01 15:00:00.0");
  CHECK(Cast(Value::Int(7259), "DOUBLE") == "DOUBLE: 7259.0");
  CHECK(Cast(Value::Int(7259), "BOOLEAN") == "BOOLEAN: true");
  CHECK(Cast(Value::String("alpha"), "INT") == "error 200");
}

TEST_CASE("numbers narrow as in Java") {
  CHECK(Cast(Value::Double(1e30), "INTEGER") == "INT: 2147483647");
  CHECK(Cast(Value::Double(std::numeric_limits<double>::quiet_NaN()), "BIGINT") == "LONG: 0");
  CHECK(Cast(Value::Long(4294967297), "INT") == "INT: 1");
  CHECK(Cast(Value::Double(-0.0), "VARCHAR") == "STRING: -0.0");
}

TEST_CASE("stored text must be an integer, computed text may be a number") {
  CHECK(Cast(Value::String("7.9"), "INT") == "error 200");
  Table t;
  t.With("s", {Value::String("7.9")});
  const auto computed = Fn("case", {Fn("is_null", {t.Col("s")}), Lit("x"), t.Col("s")});
  CHECK(t.Show(Fn("cast", {computed, Lit("INT")})) == "INT: 7");
  CHECK(t.Show(Fn("cast", {computed, Lit("LONG")})) == "LONG: 7");
}

TEST_CASE("an unknown target and a cast between strangers are refused") {
  CHECK(Cast(Value::Int(1), "ELEPHANT") == "error 700");
  CHECK(Cast(Value::Int(1), "BYTES") == "error 700");
}

TEST_CASE("a multi-value column is cast element by element") {
  Table t;
  t.With("m", {Value::Array(DataType::kInt, {Value::Int(1), Value::Int(2)})}, true);
  CHECK(t.Show(Fn("cast", {t.Col("m"), Lit("STRING")})) == "STRING_ARRAY: [1,2]");
  CHECK(t.Show(Fn("cast", {t.Col("m"), Lit("DOUBLE_ARRAY")})) == "DOUBLE_ARRAY: [1.0,2.0]");
}

}  // namespace
}  // namespace trellis::eval
