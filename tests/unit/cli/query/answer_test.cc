#include "cli/query/answer.h"

#include <catch2/catch.hpp>

#include "cli/query/render.h"

using namespace trellis;
using namespace trellis::cli;

namespace {

std::string Body(const std::string& names, const std::string& types, const std::string& rows) {
  return R"({"resultTable":{"dataSchema":{"columnNames":)" + names + R"(,"columnDataTypes":)" +
         types + R"(},"rows":)" + rows +
         R"(},"exceptions":[],"timeUsedMs":12,"partialResult":false})";
}

}  // namespace

TEST_CASE("numbers keep the digits of the answer") {
  const auto answer =
      ParseAnswer(Body(R"(["l","d","b"])", R"(["LONG","DOUBLE","DOUBLE"])",
                       "[[9223372036854775807,1.0E10,0.10],"
                       "[-9007199254740993,20432.0,123456789012345678901234567890]]"));
  REQUIRE(answer.ok());
  CHECK(RenderCsv(*answer) ==
        "l,d,b\n9223372036854775807,1.0E10,0.10\n"
        "-9007199254740993,20432.0,123456789012345678901234567890\n");
  CHECK(answer->time_used_ms == 12);
}

TEST_CASE("arrays and maps are compact JSON, text has no quotes") {
  const auto answer = ParseAnswer(Body(
      R"(["a","m","s"])", R"(["DOUBLE_ARRAY","MAP","STRING"])",
      R"([[[1.0, 2.50], {"k": {"x": [null, true]}, "a": 1.0E-7}, "it's \"q\""], [[], {}, null]])"));
  REQUIRE(answer.ok());
  CHECK(answer->rows[0][0].text == "[1.0,2.50]");
  CHECK(answer->rows[0][1].text == R"({"k":{"x":[null,true]},"a":1.0E-7})");
  CHECK(answer->rows[0][2].text == "it's \"q\"");
  CHECK(answer->rows[1][2].is_null);
}

TEST_CASE("a table is aligned, numbers to the right, and control characters are shown") {
  const auto answer = ParseAnswer(
      Body(R"(["name","n"])", R"(["STRING","LONG"])", R"([["日本",1],["a\nb\u001b[1m",-200]])"));
  REQUIRE(answer.ok());
  CHECK(RenderTable(*answer) ==
        "name        |    n\n"
        "------------+-----\n"
        "日本          |    1\n"
        "a\\nb\\x1B[1m | -200\n");
}

TEST_CASE("CSV quotes what needs it and tells null from the empty text") {
  const auto answer = ParseAnswer(
      Body(R"(["a,b","c"])", R"(["STRING","STRING"])", R"([["x\"y", "1\n2"], ["", null]])"));
  REQUIRE(answer.ok());
  CHECK(RenderCsv(*answer) == "\"a,b\",c\n\"x\"\"y\",\"1\n2\"\n\"\",\n");
}

TEST_CASE("exceptions become faults with their code") {
  const auto answer = ParseAnswer(
      R"({"exceptions":[{"errorCode":710,"message":"no column x"}],"partialResult":true})");
  REQUIRE(answer.ok());
  CHECK(!answer->has_table);
  CHECK(answer->faults == std::vector<std::string>{"error 710: no column x"});
}

TEST_CASE("what is no answer is refused") {
  const std::string deep(200000, '[');
  for (const std::string& body :
       {std::string(""), std::string("[]"), std::string("{"), std::string("{}"), deep,
        std::string(R"({"exceptions":3})"), std::string(R"({"exceptions":[{}]})"),
        Body("[\"a\"]", "[]", "[]"), Body("[\"a\"]", "[\"INT\"]", "[[1,2]]"),
        Body("[\"a\"]", "[\"INT\"]", "[3]"), std::string(R"({"exceptions":[],"resultTable":{}})"),
        std::string(R"({"exceptions":[],"resultTable":7})")}) {
    CAPTURE(body.substr(0, 100));
    CHECK(!ParseAnswer(body).ok());
  }
}
