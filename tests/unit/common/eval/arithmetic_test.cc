#include <catch2/catch.hpp>
#include <limits>

#include "common/types/big_decimal.h"
#include "tests/unit/common/eval/expressions.h"

namespace trellis::eval {
namespace {

// Rows 0 and 1 of the recorded table `baseline`.
Table Baseline() {
  Table table;
  table.With("intCol", {Value::Int(-768), Value::Int(-54)});
  table.With("rangeCol", {Value::Int(7259), Value::Int(6774)});
  table.With("floatCol", {Value::Float(-41.5F), Value::Float(-8.25F)});
  table.With("doubleCol", {Value::Double(-74.0766), Value::Double(-205.682)});
  return table;
}

TEST_CASE("arithmetic over columns is DOUBLE, as recorded") {
  Table t = Baseline();
  CHECK(t.Show(Fn("add", {t.Col("intCol"), t.Col("rangeCol"), Lit(1)})) ==
        "DOUBLE: 6492.0, 6721.0");
  CHECK(t.Show(Fn("mult", {t.Col("intCol"), Lit(3)})) == "DOUBLE: -2304.0, -162.0");
  CHECK(t.Show(Fn("div", {t.Col("rangeCol"), Lit(7)})) == "DOUBLE: 1037.0, 967.7142857142857");
  CHECK(t.Show(Fn("mod", {t.Col("rangeCol"), Lit(7)})) == "DOUBLE: 0.0, 5.0");
  CHECK(t.Show(Fn("minus", {t.Col("rangeCol"), t.Col("intCol")})) == "DOUBLE: 8027.0, 6828.0");
}

TEST_CASE("the scalar layer keeps integers and divides to DOUBLE") {
  CHECK(Fold("plus", {Lit(1), Lit(1)}) == "LONG: 2");
  CHECK(Fold("times", {Lit(Value::Long(std::numeric_limits<int64_t>::max())), Lit(2)}) ==
        "LONG: -2");
  CHECK(Fold("divide", {Lit(7), Lit(2)}) == "DOUBLE: 3.5");
  CHECK(Fold("divide", {Lit(1), Lit(0)}) == "DOUBLE: Infinity");
  CHECK(Fold("mod", {Lit(-7), Lit(3)}) == "INT: -1");
  CHECK(Fold("minus", {Lit(1), Lit(0.5)}) == "DOUBLE: 0.5");
  CHECK(Fold("plus", {Lit(1), Null()}) == "LONG: null");
}

TEST_CASE("division by zero follows doubles, also for modulo") {
  Table t;
  t.With("x", {Value::Int(5), Value::Int(-5), Value::Int(0)});
  CHECK(t.Show(Fn("divide", {t.Col("x"), Lit(0)})) == "DOUBLE: Infinity, -Infinity, NaN");
  CHECK(t.Show(Fn("mod", {t.Col("x"), Lit(0)})) == "DOUBLE: NaN, NaN, NaN");
  CHECK(t.Show(Fn("mod", {t.Col("x"), Lit(3)})) == "DOUBLE: 2.0, -2.0, 0.0");
}

TEST_CASE("negation keeps the type and refuses the minimum") {
  Table t;
  t.With("x", {Value::Int(5), Value::Int(-5)});
  t.With("least", {Value::Int(std::numeric_limits<int32_t>::min()), Value::Int(0)});
  CHECK(t.Show(Fn("negate", {t.Col("x")})) == "INT: -5, 5");
  CHECK(t.Show(Fn("negate", {t.Col("least")})) == "error 200");
}

TEST_CASE("text columns are read as numbers over columns, until one is none") {
  Table t;
  t.With("digits", {Value::String("1.5"), Value::String(" -2 "), Value::String("1e3")});
  t.With("words", {Value::String("1"), Value::String("abc"), Value::String("2")});
  t.With("x", {Value::Int(1), Value::Int(2), Value::Int(3)});
  CHECK(t.Show(Fn("plus", {t.Col("digits"), Lit(1)})) == "DOUBLE: 2.5, -1.0, 1001.0");
  CHECK(t.Show(Fn("minus", {t.Col("x"), t.Col("digits")})) == "DOUBLE: -0.5, 4.0, -997.0");
  CHECK(t.Show(Fn("divide", {t.Col("digits"), t.Col("x")})) ==
        "DOUBLE: 1.5, -1.0, 333.3333333333333");
  CHECK(t.Show(Fn("times", {t.Col("words"), Lit(1)})) == "error 200");
  CHECK(t.Rows(Fn("mod", {t.Col("words"), Lit(2)})).status().message() ==
        "For input string: \"abc\"");
  CHECK(t.Show(Fn("plus", {t.Col("digits"), Lit("1")})) == "error 700");
  CHECK(Fold("plus", {Lit("1"), Lit(1)}) == "error 700");
}

TEST_CASE("a text that is NULL is no number to fail over") {
  Table t;
  t.With("s", {Value::String("1"), Value::Null(DataType::kString)});
  CHECK(*t.Rows(Fn("plus", {t.Col("s"), Lit(1)}), true) ==
        std::vector<Value>{Value::Double(2), Value::Null(DataType::kDouble)});
  CHECK(t.Rows(Fn("plus", {t.Col("s"), Lit(1)}), false).status().pinot_code() ==
        PinotCode::kQueryExecution);
}

TEST_CASE("decimals stay decimals in the transform layer") {
  Table t;
  t.With("d", {Value::Bytes(DataType::kBigDecimal, BigDecimal::FromText("1.10")->ToBytes())});
  CHECK(t.Show(Fn("plus", {t.Col("d"), Lit(2)})) == "BIG_DECIMAL: 3.10");
  CHECK(t.Show(Fn("divide", {t.Col("d"), Lit(3)})) == "BIG_DECIMAL: 0.37");
  CHECK(t.Show(Fn("divide", {t.Col("d"), Lit(0)})) == "error 200");
  CHECK(t.Show(Fn("floor", {t.Col("d")})) == "BIG_DECIMAL: 1");
  CHECK(t.Show(Fn("exp", {t.Col("d")})) == "error 700");
}

TEST_CASE("mathematical functions answer as recorded") {
  Table t = Baseline();
  CHECK(t.Show(Fn("abs", {t.Col("intCol")})) == "DOUBLE: 768.0, 54.0");
  CHECK(t.Show(Fn("sqrt", {t.Col("rangeCol")})) == "DOUBLE: 85.19976525789258, 82.30431337420902");
  CHECK(t.Show(Fn("power", {t.Col("floatCol"), Lit(2)})) == "DOUBLE: 1722.25, 68.0625");
  CHECK(t.Show(Fn("sign", {t.Col("intCol")})) == "DOUBLE: -1.0, -1.0");
  CHECK(t.Show(Fn("round", {t.Col("rangeCol"), Lit(100)})) == "LONG: 7200, 6700");
  CHECK(t.Show(Fn("rounddecimal", {t.Col("doubleCol"), Lit(2)})) == "DOUBLE: -74.08, -205.68");
  CHECK(t.Show(Fn("truncate", {t.Col("doubleCol"), Lit(1)})) == "DOUBLE: -74.0, -205.6");
  CHECK(t.Show(Fn("least", {t.Col("intCol"), t.Col("rangeCol")})) == "INT: -768, -54");
  CHECK(t.Show(Fn("greatest", {t.Col("intCol"), t.Col("rangeCol")})) == "INT: 7259, 6774");
  CHECK(t.Show(Fn("greatest", {t.Col("intCol"), Lit(Value::Long(1))})) == "LONG: 1, 1");
}

TEST_CASE("a bucket of zero and an unknown function are refused") {
  Table t = Baseline();
  CHECK(t.Show(Fn("round", {t.Col("intCol"), Lit(0)})) == "error 200");
  CHECK(t.Show(Fn("nosuchfn", {t.Col("intCol")})) == "error 700");
  CHECK(t.Show(Fn("plus", {t.Col("intCol"), Lit("x")})) == "error 700");
  CHECK(t.Show(Fn("abs", {})) == "error 700");
}

TEST_CASE("a null argument makes the row null and hides its faults") {
  Table t;
  t.With("x", {Value::Int(1), Value::Null(DataType::kInt)});
  t.With("s", {Value::String("7"), Value::Null(DataType::kString)});
  CHECK(t.Show(Fn("plus", {t.Col("x"), Lit(1)}), true) == "DOUBLE: 2.0, null");
  CHECK(t.Show(Fn("cast", {t.Col("s"), Lit("INT")}), true) == "INT: 7, null");
  CHECK(t.Show(Fn("cast", {t.Col("s"), Lit("INT")}), false) == "error 200");
}

}  // namespace
}  // namespace trellis::eval
