#include "common/segment/properties_file.h"

#include <catch2/catch.hpp>

namespace trellis::segment {
namespace {

using Values = std::vector<std::string>;

PropertiesFile Parse(std::string_view text) {
  auto file = PropertiesFile::Parse(text);
  CAPTURE(file.status().message());
  REQUIRE(file.ok());
  return std::move(file).value();
}

Values ValuesOf(std::string_view text, std::string_view key) {
  const PropertiesFile file = Parse(text);
  const auto* property = file.Find(key);
  return property == nullptr ? Values{"<absent>"} : property->values;
}

TEST_CASE("key and value are separated by =, : or blanks") {
  CHECK(ValuesOf("a = b", "a") == Values{"b"});
  CHECK(ValuesOf("a=b", "a") == Values{"b"});
  CHECK(ValuesOf("a : b", "a") == Values{"b"});
  CHECK(ValuesOf("  a   b c  ", "a") == Values{"b c"});
  CHECK(ValuesOf("a = = b", "a") == Values{"= b"});
  CHECK(ValuesOf("a", "a") == Values{""});
  CHECK(ValuesOf("a =", "a") == Values{""});
}

TEST_CASE("blank lines and comments are skipped, also inside a continued line") {
  const PropertiesFile file = Parse("# one\n\n ! two\r\na = x\\\n# three\n\n  y\rb = 1");
  CHECK(file.properties().size() == 2);
  CHECK(*file.First("a") == "xy");
  CHECK(*file.First("b") == "1");
  CHECK(file.Find("a")->line == 4);
}

TEST_CASE("only an odd number of trailing backslashes continues a line") {
  CHECK(ValuesOf("a = x\\\\\nb = y", "a") == Values{"x\\"});
  CHECK(ValuesOf("a = x\\\\\\\nb = y", "a") == Values{"x\\b = y"});
}

TEST_CASE("a backslash in a value stays unless it covers a special character") {
  CHECK(ValuesOf(R"(a = \:\#\=\!\\\'\")", "a") == Values{R"(:#=!\'")"});
  CHECK(ValuesOf(R"(a = \d+\ x\q)", "a") == Values{R"(\d+\ x\q)"});
  CHECK(ValuesOf(R"(a = 1\t2\n3\u00e9)", "a") == Values{"1\t2\n3é"});
}

TEST_CASE("a backslash in a key always disappears") {
  CHECK(ValuesOf(R"(sp\ ace = 1)", "sp ace") == Values{"1"});
  CHECK(ValuesOf(R"(k\=v\:w = 1)", "k=v:w") == Values{"1"});
  CHECK(ValuesOf(R"(a\q\\b = 1)", R"(aq\b)") == Values{"1"});
  CHECK(ValuesOf(R"(a\101\u0042 = 1)", "aAB") == Values{"1"});
}

TEST_CASE("surrogate escapes join to one character and lone ones become U+FFFD") {
  CHECK(ValuesOf(R"(a = \uD83D\uDE80!)", "a") == Values{"🚀!"});
  CHECK(ValuesOf(R"(a = \uD83Dx\uDE80)", "a") == Values{"\uFFFDx\uFFFD"});
  CHECK(ValuesOf(R"(\uD83D\uDE80 = 1)", "🚀") == Values{"1"});
}

TEST_CASE("a value splits at commas that no backslash covers") {
  CHECK(ValuesOf("a = 1, 2 ,3", "a") == Values{"1", "2", "3"});
  CHECK(ValuesOf(R"(a = 1\,2,3)", "a") == Values{"1,2", "3"});
  CHECK(ValuesOf(R"(a = x\\\\,y)", "a") == Values{"x\\", "y"});
  CHECK(ValuesOf(R"(a = x\\y)", "a") ==
        Values{"x\\y"});  // without a comma nothing more is unescaped
  CHECK(ValuesOf("a = ,", "a") == Values{"", ""});
}

TEST_CASE("a repeated key appends to the list") {
  CHECK(ValuesOf("a = 1,2\nb = 9\na = 3", "a") == Values{"1", "2", "3"});
  const PropertiesFile file = Parse("a = 1,2\na = 3");
  CHECK(*file.First("a") == "1");
  CHECK(*file.Joined("a") == "1,2,3");
}

TEST_CASE("include is a directive and not a property") {
  CHECK(Parse("include = /etc/passwd\nInclude x\na = 1").properties().size() == 1);
}

TEST_CASE("a variable is not substituted") {
  CHECK(ValuesOf("a = ${user.name}", "a") == Values{"${user.name}"});
}

TEST_CASE("a broken unicode escape is refused with its line") {
  for (const char* text : {"x = 1\na = \\u12", "x = 1\na = \\u12g4", "x = 1\nk\\u1 = 2"}) {
    const auto file = PropertiesFile::Parse(text);
    CHECK(file.status().IsCorrupt());
    CHECK(file.status().message().find("line 2") != std::string::npos);
  }
}

TEST_CASE("a file cut inside a continued line is refused") {
  CHECK(PropertiesFile::Parse("a = 1\nb = 2\\\n").status().IsCorrupt());
}

}  // namespace
}  // namespace trellis::segment
