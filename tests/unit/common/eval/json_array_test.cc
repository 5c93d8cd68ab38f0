#include <catch2/catch.hpp>

#include "tests/unit/common/eval/expressions.h"

namespace trellis::eval {
namespace {

Value Ints(std::vector<int> values) {
  std::vector<Value> elements;
  for (const int v : values) elements.push_back(Value::Int(v));
  return Value::Array(DataType::kInt, std::move(elements));
}

Value Texts(std::vector<const char*> values) {
  std::vector<Value> elements;
  for (const char* v : values) elements.push_back(Value::String(v));
  return Value::Array(DataType::kString, std::move(elements));
}

std::string Extract(const char* json, const char* path, const char* type) {
  Table t;
  t.With("j", {Value::String(json)});
  return t.Show(Fn("jsonextractscalar", {t.Col("j"), Lit(path), Lit(type)}));
}

TEST_CASE("JSON functions answer as recorded") {
  const char* json = R"({"a":19,"b":{"c":"pi"},"d":[0,3]})";
  CHECK(Extract(json, "$.a", "INT") == "INT: 19");
  CHECK(Extract(json, "$.b.c", "STRING") == "STRING: pi");
  CHECK(Extract(json, "$.d", "STRING") == "STRING: [0,3]");
  CHECK(Extract(json, "$['d'][-1]", "LONG") == "LONG: 3");
  CHECK(Extract(json, "$.d[*]", "INT_ARRAY") == "INT_ARRAY: [0,3]");
  Table t;
  t.With("j", {Value::Bytes(DataType::kJson, json)});
  CHECK(t.Show(Fn("jsonextractkey", {t.Col("j"), Lit("$.*")})) ==
        "STRING_ARRAY: [$['a'],$['b'],$['d']]");
  CHECK(t.Show(Fn("jsonpathstring", {t.Col("j"), Lit("$.b.c")})) == "error 200");
}

TEST_CASE("JSON nested more than 500 levels deep is no JSON") {
  const auto nested = [](size_t depth) {
    return "{\"a\":1,\"b\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  CHECK(Extract(nested(500).c_str(), "$.a", "INT") == "INT: 1");
  CHECK(Extract(nested(501).c_str(), "$.a", "INT") == "error 200");
}

TEST_CASE("a path with an index finds its one value among arrays in arrays") {
  // 3 KB: each element of `a` holds 8 rows of `c` beside its `b`.
  std::string json = "{\"a\":[";
  for (int i = 0; i < 40; ++i) {
    json += fmt::format("{}{{\"c\":[", i == 0 ? "" : ",");
    for (int j = 0; j < 8; ++j) json += fmt::format("{}[{},[{}]]", j == 0 ? "" : ",", i, j);
    json += fmt::format("],\"b\":\"b{}\"}}", i);
  }
  json += "]}";
  REQUIRE(json.size() > 3000);
  CHECK(Extract(json.c_str(), "$.a[0].b", "STRING") == "STRING: b0");
  CHECK(Extract(json.c_str(), "$.a[39].b", "STRING") == "STRING: b39");
  CHECK(Extract(json.c_str(), "$.a[7].c[6][1][0]", "INT") == "INT: 6");
  CHECK(Extract(json.c_str(), "$.a[40].b", "STRING") == "error 200");
}

TEST_CASE("a path that leads nowhere needs a default") {
  CHECK(Extract("{}", "$.a", "INT") == "error 200");
  CHECK(Extract("not json", "$.a", "INT") == "error 200");
  CHECK(Extract(R"({"a":"abc"})", "$.a", "INT") == "error 200");
  Table t;
  t.With("j", {Value::String("{\"a\":null}"), Value::String(R"({"a":1,"a":2})")});
  CHECK(t.Show(Fn("jsonextractscalar", {t.Col("j"), Lit("$.a"), Lit("INT"), Lit(-1)})) ==
        "INT: -1, 2");
  CHECK(t.Show(Fn("jsonextractscalar", {t.Col("j"), Lit("$.a"), Lit("INT"), Null()}), true) ==
        "INT: null, 2");
}

TEST_CASE("numbers keep their digits and convert as Java's do") {
  CHECK(Extract(R"({"a":1.10})", "$.a", "STRING") == "STRING: 1.10");
  CHECK(Extract(R"({"a":1.9})", "$.a", "INT") == "INT: 1");
  CHECK(Extract(R"({"a":true})", "$.a", "INT") == "INT: 1");
  CHECK(Extract(R"({"a":"1"})", "$.a", "BOOLEAN") == "BOOLEAN: true");
  CHECK(Extract(R"({"a":1.10})", "$.a", "BIG_DECIMAL") == "BIG_DECIMAL: 1.10");
}

TEST_CASE("other path forms and types are refused") {
  for (const char* path :
       {"$..a", "$.a[0:2]", "$.a[?(@.x > 1)]", "$['a','b']", "$.a.length()", "a", "$."}) {
    CAPTURE(path);
    CHECK(Extract("{}", path, "INT") == "error 700");
  }
  CHECK(Extract("{}", "$.a", "ELEPHANT") == "error 700");
  CHECK(Extract(std::string(2000, '[').c_str(), "$.a", "INT") == "error 200");
}

TEST_CASE("array functions answer as recorded") {
  Table t;
  t.With("mvInt", {Ints({8, 56}), Ints({23, 30, 40, 41})}, true);
  t.With("mvStr", {Texts({"pi", "xi"}), Texts({"iota", "iota"})}, true);
  const auto ints = t.Col("mvInt");
  const auto texts = t.Col("mvStr");
  CHECK(t.Show(Fn("arraylength", {ints})) == "INT: 2, 4");
  CHECK(t.Show(Fn("arraysum", {ints})) == "DOUBLE: 64.0, 134.0");
  CHECK(t.Show(Fn("arraymin", {ints})) == "INT: 8, 23");
  CHECK(t.Show(Fn("arraymax", {ints})) == "INT: 56, 41");
  CHECK(t.Show(Fn("arrayaverage", {ints})) == "DOUBLE: 32.0, 33.5");
  CHECK(t.Show(Fn("cardinality", {texts})) == "INT: 2, 2");
  CHECK(t.Show(Fn("valuein", {ints, Lit(1), Lit(30), Lit(8)})) == "INT_ARRAY: [8], [30]");
  CHECK(t.Show(Fn("valuein", {texts, Lit("iota")})) == "STRING_ARRAY: [], [iota,iota]");
  CHECK(t.Show(Fn("arraydistinctstring", {texts})) == "STRING_ARRAY: [pi,xi], [iota]");
  CHECK(t.Show(Fn("arraycontainsint", {ints, Lit(30)})) == "BOOLEAN: false, true");
  CHECK(t.Show(Fn("arraytostring", {texts, Lit("-")})) == "STRING: pi-xi, iota-iota");
  CHECK(t.Show(Fn("arrayindexofstring", {texts, Lit("xi")})) == "INT: 1, -1");
  CHECK(ShowCall("arrayvalueconstructor", {Lit(1), Lit(2)}) == "INT_ARRAY: [1,2]");
}

TEST_CASE("arrays are refused where one value is wanted, and the other way round") {
  Table t;
  t.With("mv", {Ints({1})}, true);
  t.With("sv", {Value::Int(1)});
  CHECK(t.Show(Fn("plus", {t.Col("mv"), Lit(1)})) == "error 700");
  CHECK(t.Show(Fn("upper", {t.Col("mv")})) == "error 700");
  CHECK(t.Show(Fn("arraylength", {t.Col("sv")})) == "error 700");
  CHECK(t.Show(Fn("valuein", {t.Col("mv"), Lit("x")})) == "error 700");
}

TEST_CASE("what Pinot refuses is refused with its code") {
  Table t;
  t.With("mvStr", {Texts({"pi"})}, true);
  t.With("id", {Value::Int(1)});
  CHECK(t.Show(Fn("mapvalue", {t.Col("mvStr"), Lit("alpha"), t.Col("mvStr")})) == "error 200");
  CHECK(t.Show(Fn("mapvalue", {t.Col("mvStr"), Lit("alpha")})) == "error 700");
  CHECK(t.Show(Fn("inidset", {t.Col("id"), Lit("")})) == "error 700");
}

}  // namespace
}  // namespace trellis::eval
