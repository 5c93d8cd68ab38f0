#include "common/types/text_order.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis {
namespace {

TEST_CASE("text orders by UTF-16 code unit, not by byte") {
  const std::string supplementary = "\xF0\x9F\x9A\x80";  // U+1F680: surrogates D83D DE80
  const std::string private_use = "\xEE\x80\x80";        // U+E000
  const std::string last_plane = "\xEF\xBF\xBD";         // U+FFFD
  CHECK(supplementary > private_use);                    // by byte
  CHECK(CompareUtf16(supplementary, private_use) < 0);
  CHECK(CompareUtf16(last_plane, supplementary) > 0);
  CHECK(CompareUtf16("\xED\x9F\xBF", supplementary) < 0);  // U+D7FF lies below the surrogates
}

TEST_CASE("a prefix orders before what continues it") {
  CHECK(CompareUtf16("ab", "abc") < 0);
  CHECK(CompareUtf16("abc", "ab") > 0);
  CHECK(CompareUtf16("", "") == 0);
  CHECK(CompareUtf16("", "a") < 0);
}

TEST_CASE("two supplementary characters order by code point") {
  CHECK(CompareUtf16("\xF0\x9F\x9A\x80", "\xF0\x9F\x9A\x81") < 0);
  CHECK(CompareUtf16("\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF") < 0);
}

TEST_CASE("bytes that are not UTF-8 still have one order") {
  const std::string broken[] = {"\xFF", "\x80", "a\xC3", "a\xF0\x9F", "a"};
  for (const std::string& a : broken) {
    CHECK(CompareUtf16(a, a) == 0);
    for (const std::string& b : broken) {
      CAPTURE(a, b);
      CHECK((CompareUtf16(a, b) < 0) == (CompareUtf16(b, a) > 0));
    }
  }
}

}  // namespace
}  // namespace trellis
