#include <catch2/catch.hpp>

#include "common/types/java_text.h"
#include "tests/unit/common/eval/expressions.h"

namespace trellis::eval {
namespace {

// Rows 0 and 1 of the recorded table `baseline`.
Table Baseline() {
  Table t;
  t.With("strCol", {Value::String("iota_15"), Value::String("\xCF\x83_26")});
  t.With("invCol", {Value::String("cat1"), Value::String("cat4")});
  t.With("bytesCol", {Value::Bytes(DataType::kBytes, *ParseHex("05b1")),
                      Value::Bytes(DataType::kBytes, *ParseHex("bbd010ff79"))});
  return t;
}

TEST_CASE("string functions answer as recorded") {
  Table t = Baseline();
  const auto s = t.Col("strCol");
  const auto v = t.Col("invCol");
  CHECK(t.Show(Fn("upper", {s})) == "STRING: IOTA_15, \xCE\xA3_26");
  CHECK(t.Show(Fn("lower", {s})) == "STRING: iota_15, \xCF\x83_26");
  CHECK(t.Show(Fn("substr", {s, Lit(2)})) == "STRING: ta_15, 26");
  CHECK(t.Show(Fn("concat", {v, s, Lit("-")})) == "STRING: cat1-iota_15, cat4-\xCF\x83_26");
  CHECK(t.Show(Fn("ltrim", {s})) == "STRING: iota_15, \xCF\x83_26");
  CHECK(t.Show(Fn("lpad", {v, Lit(8), Lit("*")})) == "STRING: ****cat1, ****cat4");
  CHECK(t.Show(Fn("rpad", {v, Lit(8), Lit("*")})) == "STRING: cat1****, cat4****");
  CHECK(t.Show(Fn("replace", {s, Lit("a"), Lit("AA")})) == "STRING: iotAA_15, \xCF\x83_26");
  CHECK(t.Show(Fn("strpos", {s, Lit("_"), Lit(1)})) == "INT: 4, 1");
  CHECK(t.Show(Fn("startswith", {s, Lit("a")})) == "BOOLEAN: false, false");
  CHECK(t.Show(Fn("split", {s, Lit("_")})) == "STRING_ARRAY: [iota,15], [\xCF\x83,26]");
  CHECK(t.Show(Fn("splitpart", {s, Lit("_"), Lit(1)})) == "STRING: 15, 26");
  CHECK(t.Show(Fn("regexpextract", {s, Lit("([a-z]+)_([0-9]+)"), Lit(2)})) == "STRING: 15, ");
  CHECK(ShowCall("trim", {Lit("  x ")}) == "STRING: x");
}

TEST_CASE("byte functions answer as recorded") {
  Table t = Baseline();
  const auto b = t.Col("bytesCol");
  CHECK(t.Show(Fn("md5", {b})) ==
        "STRING: 3ca5f9ddf968f67befa22ac692fcc2bf, 41cec377dcff4e9d247f96ce66c4f16e");
  CHECK(t.Show(Fn("sha256", {b})) ==
        "STRING: 18bfa8c411067fc426ebb7208f06f0250b0d37bb8c024a8ffb57e38dae5def1b, "
        "5013f74fd6a482aaac57d0afe3be9883e5d328d97a0c00322bd8cb4e08b047ca");
  CHECK(t.Show(Fn("toutf8", {t.Col("strCol")})) == "BYTES: 696f74615f3135, cf835f3236");
  CHECK(t.Show(Fn("tobase64", {b})) == "STRING: BbE=, u9AQ/3k=");
  CHECK(t.Show(Fn("bytestohex", {b})) == "STRING: 05b1, bbd010ff79");
  CHECK(ShowCall("frombase64", {Lit("BbE=")}) == "BYTES: 05b1");
  CHECK(ShowCall("hextobytes", {Lit("05B1")}) == "BYTES: 05b1");
}

TEST_CASE("bad encodings and unsuitable arguments are refused") {
  Table t = Baseline();
  CHECK(ShowCall("frombase64", {Lit("B b=")}) == "error 200");
  CHECK(ShowCall("hextobytes", {Lit("05B")}) == "error 200");
  CHECK(t.Show(Fn("md5", {t.Col("strCol")})) == "error 700");
  CHECK(t.Show(Fn("upper", {})) == "error 700");
  CHECK(t.Show(Fn("lpad", {t.Col("invCol"), Lit(2000000000), Lit("*")})) == "error 200");
}

TEST_CASE("case mapping is Unicode's full one") {
  CHECK(ShowCall("upper", {Lit("stra\xC3\x9F"
                               "e")}) == "STRING: STRASSE");
  CHECK(ShowCall("lower", {Lit("\xCE\x91\xCE\xA3")}) == "STRING: \xCE\xB1\xCF\x82");
}

TEST_CASE("cuts clamp, count from the end and never split the text's bytes") {
  CHECK(ShowCall("substr", {Lit("hello"), Lit(1), Lit(3)}) == "STRING: el");
  CHECK(ShowCall("substr", {Lit("hello"), Lit(1), Lit(-1)}) == "STRING: ello");
  CHECK(ShowCall("substr", {Lit("hello"), Lit(-2)}) == "STRING: lo");
  CHECK(ShowCall("substr", {Lit("hello"), Lit(9)}) == "STRING: ");
  CHECK(ShowCall("substring", {Lit("hello"), Lit(2), Lit(3)}) == "STRING: ell");
  CHECK(ShowCall("substring", {Lit("hello"), Lit(0)}) == "STRING: o");
  CHECK(ShowCall("substr", {Lit("\xF0\x9F\x9A\x80x"), Lit(2)}) == "STRING: x");
  CHECK(ShowCall("substr", {Lit("\xF0\x9F\x9A\x80x"), Lit(1)}) == "STRING: ?x");
  CHECK(ShowCall("length", {Lit("\xF0\x9F\x9A\x80x")}) == "INT: 3");
  CHECK(ShowCall("charlength", {Lit("\xF0\x9F\x9A\x80x")}) == "INT: 2");
  CHECK(ShowCall("reverse", {Lit("a\xF0\x9F\x9A\x80")}) ==
        "STRING: \xF0\x9F\x9A\x80"
        "a");
  CHECK(ShowCall("left", {Lit("abc"), Lit(-1)}) == "STRING: ");
  CHECK(ShowCall("right", {Lit("abc"), Lit(2)}) == "STRING: bc");
}

TEST_CASE("splits collapse delimiters but keep an empty end") {
  CHECK(ShowCall("split", {Lit("__a__b_"), Lit("_")}) == "STRING_ARRAY: [a,b,]");
  CHECK(ShowCall("split", {Lit(""), Lit("_")}) == "STRING_ARRAY: []");
  CHECK(ShowCall("split", {Lit(" a  b "), Lit("")}) == "STRING_ARRAY: [a,b]");
  CHECK(ShowCall("split", {Lit("a_b_c"), Lit("_"), Lit(2)}) == "STRING_ARRAY: [a,b_c]");
  CHECK(ShowCall("splitpart", {Lit("a_b_c"), Lit("_"), Lit(-1)}) == "STRING: c");
  CHECK(ShowCall("splitpart", {Lit("a_b_c"), Lit("_"), Lit(7)}) == "STRING: null");
}

TEST_CASE("strpos counts overlapping occurrences and UTF-16 units") {
  CHECK(ShowCall("strpos", {Lit("aaaa"), Lit("aa"), Lit(3)}) == "INT: 2");
  CHECK(ShowCall("strpos", {Lit("aaaa"), Lit("aa"), Lit(4)}) == "INT: -1");
  CHECK(ShowCall("strpos", {Lit("aaaa"), Lit("aa"), Lit(0)}) == "INT: -1");
  CHECK(ShowCall("strpos", {Lit("\xF0\x9F\x9A\x80x"), Lit("x")}) == "INT: 2");
  CHECK(ShowCall("strpos", {Lit("x"), Lit("")}) == "INT: 0");
}

TEST_CASE("trim takes flags and sets of characters") {
  CHECK(ShowCall("trim", {Lit("LEADING"), Lit("ab"), Lit("abcab")}) == "STRING: cab");
  CHECK(ShowCall("trim", {Lit("BOTH"), Lit("ab"), Lit("abcab")}) == "STRING: c");
  CHECK(ShowCall("trim", {Lit("BOTH"), Lit("ab"), Lit("abab")}) == "STRING: ");
  CHECK(ShowCall("rtrim", {Lit("x\t\n ")}) == "STRING: x");
}

TEST_CASE("regexpReplace replaces all or one, with groups or literally") {
  CHECK(ShowCall("regexpreplace", {Lit("a1b2"), Lit("([a-z])([0-9])"), Lit("$2$1")}) ==
        "STRING: 1a2b");
  CHECK(ShowCall("regexpreplace", {Lit("abc"), Lit("x*"), Lit("-")}) == "STRING: -a-b-c-");
  CHECK(ShowCall("regexpreplace", {Lit("aXbX"), Lit("X"), Lit("$1"), Lit(0), Lit(1)}) ==
        "STRING: aXb$1");
  CHECK(ShowCall("regexpreplace", {Lit("aXbx"), Lit("x"), Lit("-"), Lit(0), Lit(-1), Lit("i")}) ==
        "STRING: a-b-");
  CHECK(ShowCall("regexpreplace", {Lit("aab"), Lit("^a"), Lit("-"), Lit(1)}) == "STRING: a-b");
  CHECK(ShowCall("regexpreplace", {Lit("aab"), Lit("a"), Lit("-"), Lit(9)}) == "error 200");
  CHECK(ShowCall("regexpreplace", {Lit("aab"), Lit("a(?=b)"), Lit("-")}) == "error 700");
  CHECK(ShowCall("regexpcount", {Lit("banana"), Lit("an")}) == "INT: 2");
}

TEST_CASE("like and regexp_like work as functions") {
  CHECK(ShowCall("like", {Lit("Alpha"), Lit("al%")}) == "BOOLEAN: true");
  CHECK(ShowCall("regexp_like", {Lit("Alpha"), Lit("^al"), Lit("i")}) == "BOOLEAN: true");
  CHECK(ShowCall("regexp_like", {Lit("Alpha"), Lit("^al"), Lit("x")}) == "error 700");
}

TEST_CASE("booleans and timestamps enter text functions in their stored form") {
  Table t;
  t.With("b", {Value::Boolean(true)});
  t.With("ts", {Value::Timestamp(1000)});
  CHECK(t.Show(Fn("concat", {t.Col("b"), t.Col("ts")})) == "STRING: 11000");
}

}  // namespace
}  // namespace trellis::eval
