#include "common/ingest/jackson_text.h"

#include <catch2/catch.hpp>

namespace trellis::ingest {
namespace {

std::string Written(std::string_view text, const JsonForm& form, bool whole = false) {
  std::string out;
  switch (AppendJson(text, form, whole, out)) {
    case JsonVerdict::kOk:
      return out;
    case JsonVerdict::kInvalid:
      return "invalid";
    case JsonVerdict::kTooDeep:
      return "too deep";
  }
  return "";
}

TEST_CASE("numbers are JSON's, not Java's or C's") {
  for (const char* integer : {"0", "-0", "12", "-9223372036854775809"})
    CHECK(ClassifyNumber(integer) == NumberKind::kInteger);
  for (const char* fraction : {"0.0", "-1.5", "1e5", "1E+5", "2.5e-7"})
    CHECK(ClassifyNumber(fraction) == NumberKind::kFraction);
  for (const char* none :
       {"", "-", "01", "+1", ".5", "1.", "1e", "1e+", "1x", "NaN", "0x1", " 1"}) {
    CAPTURE(none);
    CHECK(ClassifyNumber(none) == NumberKind::kNone);
  }
}

// The answers of java.math.BigDecimal(text).stripTrailingZeros().toString().
TEST_CASE("decimals have no trailing zeros and Java's text") {
  const auto text = [](const char* from) {
    const auto decimal = ParseDecimal(from);
    return decimal ? JavaDecimalText(*decimal) : "none";
  };
  CHECK(text("1.10") == "1.1");
  CHECK(text("100.0") == "1E+2");
  CHECK(text("1E5") == "1E+5");
  CHECK(text("0.00") == "0");
  CHECK(text("-0.0") == "0");
  CHECK(text("1e-7") == "1E-7");
  CHECK(text("0.000001") == "0.000001");
  CHECK(text("123456789.0") == "123456789");
  CHECK(text("1234567890123456789012.5") == "1234567890123456789012.5");
  CHECK(text("123456789012345678901234567890.000") == "1.2345678901234567890123456789E+29");
  CHECK(text("-12.5e-3") == "-0.0125");
  CHECK(text("1e400") == "1E+400");
  for (const char* none : {"", ".", "-", "1e", "1e+-5", "x", "1 ", "1e9999999999", "--1"}) {
    CAPTURE(none);
    CHECK(text(none) == "none");
  }
}

// The answers of Pinot 1.5.1: JsonUtils.objectToString of what Jackson read.
TEST_CASE("an object or list is written as Jackson writes the values it read") {
  CHECK(Written(R"( {"b" : 1.50, "a":[ 1 ,"\ud83d\ude80/\"\\\u0001\u007f\u2028é", null,true] ,
      "n":1e10, "big":99999999999999999999} )",
                kJsonOfValue) ==
        "{\"b\":1.5,\"a\":[1,\"🚀/\\\"\\\\\\u0001\x7f\u2028é\",null,true],\"n\":1.0E10,"
        "\"big\":99999999999999999999}");
  CHECK(Written(R"({"a":100.0,"d":-0.0,"e":1e-7,"g":1e400,"z":"\ud83d","l":-0})", kJsonOfValue) ==
        R"({"a":100.0,"d":-0.0,"e":1.0E-7,"g":"Infinity","z":"?","l":0})");
  CHECK(Written(R"({"t":"\u0000\u001f\b\f\n\r\t"})", kJsonOfValue) ==
        R"({"t":"\u0000\u001F\b\f\n\r\t"})");
  CHECK(Written("[]", kJsonOfValue) == "[]");
  CHECK(Written("{ }", kJsonOfValue) == "{}");
  CHECK(Written("[[],{}]", kJsonOfValue) == "[[],{}]");
}

// The answers of Pinot 1.5.1's DataTypeTransformer for a JSON column given text.
TEST_CASE("JSON that came as text has decimals without trailing zeros") {
  CHECK(Written(R"({"b": 1.50, "a":1})", kJsonOfText) == R"({"b":1.5,"a":1})");
  CHECK(Written(R"({"a":100.0,"b":1.0,"c":0.0})", kJsonOfText) == R"({"a":1E+2,"b":1,"c":0})");
  CHECK(Written(R"({"a":1e400,"b":99999999999999999999.10,"c":1E2})", kJsonOfText) ==
        R"({"a":1E+400,"b":99999999999999999999.1,"c":1E+2})");
  CHECK(Written(R"({"a":1,"a":2})", kJsonOfText) == R"({"a":2})");
  CHECK(Written(R"({"a":1} x)", kJsonOfText) == R"({"a":1})");
  CHECK(Written("1 2", kJsonOfText) == "1");
  CHECK(Written(R"({"a":"\u00e9\/\ud83d\ude80"})", kJsonOfText) == R"({"a":"é/🚀"})");
  CHECK(Written(" null ", kJsonOfText) == "null");
  for (const char* wrong :
       {"x", "tru", "{'a':1}", R"({"a":NaN})", "[1", "", "{\"a\":1,}", "[,]", "{\"a\":01}",
        "{\"a\":\"\t\"}", R"("\x")", R"("\u12")", "\"", "{1:2}", R"({"a" 1})", "\"a\\"}) {
    CAPTURE(wrong);
    CHECK(Written(wrong, kJsonOfText) == "invalid");
  }
  CHECK(Written("[1] 2", kJsonOfText, /*whole=*/true) == "invalid");
}

TEST_CASE("the last of equal keys stands at the place of the first, or all are sorted") {
  CHECK(Written(R"({"b":1,"a":2,"b":3,"c":{"x":1,"x":2}})", kJsonOfValue) ==
        R"({"b":3,"a":2,"c":{"x":2}})");
  CHECK(Written(R"({"b":1,"a":2,"\u0062":3,"c":{"y":1,"x":2}})", kJsonOfMapValue) ==
        R"({"a":2,"b":3,"c":{"x":2,"y":1}})");
  // UTF-16 order: a surrogate pair comes before U+FF21.
  CHECK(Written(R"({"Ａ":1,"😀":2})", kJsonOfMapValue) == R"({"😀":2,"Ａ":1})");
}

TEST_CASE("a MAP's values hold characters past U+FFFF as escapes, its keys do not") {
  CHECK(Written(R"({"🚀":"🚀"})", kJsonOfMapValue) == R"({"🚀":"\uD83D\uDE80"})");
  std::vector<JsonMember> members;
  REQUIRE(ReadJsonObject(R"( {"k\u0041":"é🚀", "b":{"z":1.0}, "":null} )", kJsonOfMapValue,
                         members) == JsonVerdict::kOk);
  REQUIRE(members.size() == 3);
  CHECK(members[0].key == "kA");
  CHECK(members[0].value == R"("é\uD83D\uDE80")");
  CHECK(members[1].value == R"({"z":1.0})");
  CHECK(members[2].key.empty());
  CHECK(members[2].value == "null");
  for (const char* wrong : {"[]", "{} x", "{", R"({"a":})", "null", R"({"a":1,})"}) {
    std::vector<JsonMember> none;
    CAPTURE(wrong);
    CHECK(ReadJsonObject(wrong, kJsonOfMapValue, none) == JsonVerdict::kInvalid);
  }
}

TEST_CASE("nesting has Jackson's limit and no stack is lost") {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(Written(nested(1000), kJsonOfValue) == nested(1000));
  CHECK(Written(nested(1001), kJsonOfValue) == "too deep");
  CHECK(Written(nested(100'000), kJsonOfValue) == "too deep");
  CHECK(Written(std::string(100'000, '['), kJsonOfValue) == "too deep");
}

TEST_CASE("escapes become characters, half a pair a question mark") {
  const auto plain = [](std::string_view content) {
    std::string out;
    return AppendUnescaped(content, out) ? out : "invalid";
  };
  CHECK(plain(R"(a\n\"\/\\b)") == "a\n\"/\\b");
  CHECK(plain(R"(\u0041\u00e9\u20AC)") == "Aé€");
  CHECK(plain(R"(\uD83D\uDE00)") == "😀");
  CHECK(plain(R"(\uD83Dx)") == "?x");
  CHECK(plain(R"(\uDE00)") == "?");
  CHECK(plain(R"(\uD83D\u0041)") == "?A");
  CHECK(plain(R"(\uD83D\uD83D\uDE00)") == "?😀");
  for (const char* wrong : {"\\", R"(\x)", R"(\u12)", R"(\u12G4)", R"(\')"})
    CHECK(plain(wrong) == "invalid");
}

}  // namespace
}  // namespace trellis::ingest
