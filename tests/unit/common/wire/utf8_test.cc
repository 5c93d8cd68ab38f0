#include "common/wire/utf8.h"

#include <catch2/catch.hpp>

namespace trellis::wire {

TEST_CASE("malformed UTF-8 is told from well-formed") {
  using namespace std::string_view_literals;
  for (const auto text : {""sv, "a\0b"sv, "\xc2\x80"sv, "\xe0\xa0\x80"sv, "\xed\x9f\xbf"sv,
                          "\xee\x80\x80"sv, "\xf0\x90\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv}) {
    CHECK(IsUtf8(text));
    CHECK(ToUtf8(text) == text);
  }
  for (const auto text :
       {"\x80"sv, "\xc1\x80"sv, "\xc2"sv, "\xe0\x9f\x80"sv, "\xed\xa0\x80"sv, "\xf0\x8f\x80\x80"sv,
        "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv, "\xe2\x82"sv, "\xe2\x82x"sv}) {
    CHECK_FALSE(IsUtf8(text));
    CHECK(IsUtf8(ToUtf8(text)));
    CHECK(ToUtf8(text).find("\xef\xbf\xbd") == 0);
  }
}

TEST_CASE("a cut text ends at a character's end") {
  CHECK(ToUtf8("ab\xc3\xa9", 3) == "ab");
  CHECK(ToUtf8("ab\xc3\xa9", 4) == "ab\xc3\xa9");
  CHECK(ToUtf8("\xff", 2).empty());
}

}  // namespace trellis::wire
