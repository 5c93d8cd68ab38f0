#include "common/base/utf8.h"

#include <catch2/catch.hpp>

namespace trellis {

TEST_CASE("code points at the edges of every length are read and written") {
  const std::pair<uint32_t, std::string_view> known[] = {{0, std::string_view("\0", 1)},
                                                         {0x7F, "\x7F"},
                                                         {0x80, "\xC2\x80"},
                                                         {0x7FF, "\xDF\xBF"},
                                                         {0x800, "\xE0\xA0\x80"},
                                                         {0xD7FF, "\xED\x9F\xBF"},
                                                         {0xE000, "\xEE\x80\x80"},
                                                         {0xFFFF, "\xEF\xBF\xBF"},
                                                         {0x10000, "\xF0\x90\x80\x80"},
                                                         {0x1F680, "\xF0\x9F\x9A\x80"},
                                                         {0x10FFFF, "\xF4\x8F\xBF\xBF"}};
  for (const auto& [point, text] : known) {
    CAPTURE(point);
    std::string out = "x";
    AppendUtf8(point, out);
    CHECK(out == "x" + std::string(text));
    const CodePoint read = DecodeUtf8(std::string(text) + "y");
    CHECK(read.value == point);
    CHECK(read.size_bytes == text.size());
    for (size_t size = 0; size < text.size(); ++size)
      CHECK(DecodeUtf8(text.substr(0, size)).size_bytes == 0);
  }
}

TEST_CASE("a byte beyond ASCII is found wherever it stands") {
  CHECK(IsAscii(""));
  for (size_t size = 1; size <= 17; ++size) {
    CHECK(IsAscii(std::string(size, '\x7f')));
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = '\x80';
      CAPTURE(size, at);
      CHECK_FALSE(IsAscii(text));
    }
  }
}

TEST_CASE("what is no UTF-8 is told") {
  for (const char* text : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3x", "\xE0\x9F\xBF",
                           "\xED\xA0\x80", "\xED\xBF\xBF", "\xE2\x82x", "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    CAPTURE(text);
    CHECK(DecodeUtf8(text).size_bytes == 0);
  }
}

TEST_CASE("a supplementary code point is two units of UTF-16") {
  // U+1F680, as the Unicode standard's table 3-5 splits it.
  static_assert(HighSurrogateOf(0x1F680) == 0xD83D && LowSurrogateOf(0x1F680) == 0xDE80);
  static_assert(HighSurrogateOf(0x10FFFF) == 0xDBFF && LowSurrogateOf(0x10FFFF) == 0xDFFF);
  CHECK(JoinSurrogates(0xD83D, 0xDE80) == 0x1F680);
  CHECK(JoinSurrogates(0xD800, 0xDC00) == 0x10000);
  CHECK_FALSE(IsHighSurrogate(0xD7FF));
  CHECK_FALSE(IsHighSurrogate(0xDC00));
  CHECK_FALSE(IsLowSurrogate(0xDBFF));
  CHECK_FALSE(IsLowSurrogate(0xE000));
}

}  // namespace trellis
