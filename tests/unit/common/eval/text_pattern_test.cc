#include "common/eval/text_pattern.h"

#include <catch2/catch.hpp>

#include "common/eval/java_regex.h"

namespace trellis::eval {
namespace {

bool Like(std::string_view pattern, std::string_view text) {
  const auto compiled = TextPattern::Like(pattern);
  REQUIRE(compiled.ok());
  return compiled->Matches(text);
}

bool Regexp(std::string_view pattern, std::string_view text, bool ignore_case = false) {
  const auto compiled = TextPattern::Regexp(pattern, ignore_case);
  INFO(compiled.status().message());
  REQUIRE(compiled.ok());
  return compiled->Matches(text);
}

TEST_CASE("LIKE ignores case and anchors where no wildcard stands") {
  CHECK(Like("alpha%", "ALPHA_1"));
  CHECK_FALSE(Like("alpha%", "xalpha"));
  CHECK(Like("%_7", "iota_7"));
  CHECK(Like("%_7", "x7"));
  CHECK_FALSE(Like("%_7", "7"));
  CHECK(Like("%HA%", "alpha"));
  CHECK(Like("abc", "aBc"));
  CHECK_FALSE(Like("abc", "abcd"));
  CHECK(Like("a%c", "a---C"));
  CHECK(Like("\xE6\x97\xA5%", "\xE6\x97\xA5\xE6\x9C\xAC"));
  CHECK(Like("\xCE\xA3", "\xCF\x83"));
  CHECK(Like("%k%", "\xE2\x84\xAA"));  // the Kelvin sign folds to k
}

TEST_CASE("LIKE of nothing but percent matches all, the empty pattern only nothing") {
  CHECK(Like("%", ""));
  CHECK(Like("%%", "a\nb"));
  CHECK(Like("", ""));
  CHECK_FALSE(Like("", "a"));
}

TEST_CASE("LIKE's wildcards do not cross line breaks and a final one is overlooked") {
  CHECK_FALSE(Like("a_c", "a\nc"));
  CHECK_FALSE(Like("a%c", "a\nc"));
  CHECK(Like("abc", "abc\n"));
  CHECK(Like("%bc", "abc\r\n"));
  CHECK_FALSE(Like("abc", "abc\n\n"));
}

TEST_CASE("LIKE's backslash keeps wildcards literal, after the outer percents are cut") {
  CHECK(Like("a\\_b", "a_b"));
  CHECK_FALSE(Like("a\\_b", "axb"));
  CHECK(Like("a\\%b", "a%b"));
  CHECK_FALSE(Like("a\\%b", "axxb"));
  CHECK(Like("a\\%", "a\\zzz"));
  CHECK(Like("%\\%%", "x\\y"));
  CHECK_FALSE(Like("%\\%%", "x%y"));
  CHECK(Like("a.b", "a.b"));
  CHECK_FALSE(Like("a.b", "axb"));
  CHECK(Like("a\\nb", "a\\nb"));
}

TEST_CASE("REGEXP_LIKE finds anywhere and minds case unless told") {
  CHECK(Regexp("ohn S", "John Smith"));
  CHECK_FALSE(Regexp("^john", "John"));
  CHECK(Regexp("^john", "John", true));
  CHECK(Regexp("^(alpha|beta)_1[0-9]$", "beta_17"));
}

TEST_CASE("Java's meanings of dot, dollar and space are kept") {
  CHECK_FALSE(Regexp("a.b", "a\rb"));
  CHECK_FALSE(Regexp("a.b",
                     "a\xE2\x80\xA8"
                     "b"));
  CHECK(Regexp("(?s)a.b", "a\nb"));
  CHECK(Regexp("b$", "ab\r\n"));
  CHECK_FALSE(Regexp("b$", "ab\n\n"));
  CHECK(Regexp("a\\sb",
               "a\x0B"
               "b"));
  CHECK(Regexp("[\\s,]b",
               "a\x0B"
               "b"));
  CHECK(Regexp("\\p{Alpha}+\\u0041", "xA"));
  CHECK(Regexp("\\Qa.b\\E", "a.b"));
  CHECK_FALSE(Regexp("\\Qa.b\\E", "axb"));
  CHECK(Regexp("(?<word>x)y", "xy"));
}

TEST_CASE("what RE2 cannot do is refused by name") {
  for (const char* pattern :
       {"a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b", "(a)\\1", "a*+", "a++b", "(?>a)", "[a&&[b]]",
        "[a[b]]", "\\R", "(?m)^a", "(?x)a b", "\\p{IsAlphabetic}", "a{", "[a", "a$b", "(a"}) {
    CAPTURE(pattern);
    const auto compiled = TextPattern::Regexp(pattern, false);
    REQUIRE_FALSE(compiled.ok());
    CHECK(compiled.status().pinot_code() == PinotCode::kQueryValidation);
  }
}

TEST_CASE("a final line terminator is not part of the match") {
  const auto regex = JavaRegex::Compile("(a)(b$)|x(c)", false);
  REQUIRE(regex.ok());
  JavaRegex::Match match;
  REQUIRE(regex->Find("zab\n", 0, match));
  CHECK(regex->group_count() == 3);
  CHECK(match.groups[0] == "ab");
  CHECK(match.groups[2] == "b");
  CHECK(match.groups[3].data() == nullptr);
  CHECK(match.begin == 1);
}

}  // namespace
}  // namespace trellis::eval
