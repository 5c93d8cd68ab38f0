#include "common/column/json_value.h"

#include <catch2/catch.hpp>

namespace trellis::column {
namespace {

TEST_CASE("a JSON text is told by its kind, blanks around it aside") {
  CHECK(ClassifyJson(" \"a\" ").kind == JsonKind::kString);
  CHECK(ClassifyJson(" \"a\" ").text == "a");
  CHECK(ClassifyJson(R"("a\n")").kind == JsonKind::kEscaped);
  CHECK(ClassifyJson("-12").kind == JsonKind::kInteger);
  CHECK(ClassifyJson("1.5e3").kind == JsonKind::kFraction);
  CHECK(ClassifyJson("true").kind == JsonKind::kTrue);
  CHECK(ClassifyJson("false").kind == JsonKind::kFalse);
  CHECK(ClassifyJson("[1]").kind == JsonKind::kNested);
  for (const char* none : {"", " ", "null", "nope", "01", "-", "1.", "1e", "\"", "\"a\"b\""}) {
    CAPTURE(none);
    CHECK(ClassifyJson(none).kind == JsonKind::kAbsent);
  }
}

TEST_CASE("only what is JSON as a whole is valid") {
  for (const char* good :
       {"null", "{}", R"({"a":[1,{"b":null}]})", R"("\u00e9")", "-0.5", "true"}) {
    CAPTURE(good);
    CHECK(IsValidJson(good));
  }
  for (const char* bad : {"", "{", "[1,]", R"({"a" 1})", R"("\ud")", "nope", "{} {}"}) {
    CAPTURE(bad);
    CHECK_FALSE(IsValidJson(bad));
  }
}

TEST_CASE("escapes are undone, and objects become Java's text") {
  CHECK(UnescapeJson(R"("a\u0041\n")") == "aA\n");
  CHECK_FALSE(UnescapeJson(R"("\q")"));
  CHECK(NestedJsonText(R"({"a":[1,"two",3.5]})") == "{a=[1, two, 3.5]}");
  CHECK_FALSE(NestedJsonText("[1"));
}

}  // namespace
}  // namespace trellis::column
