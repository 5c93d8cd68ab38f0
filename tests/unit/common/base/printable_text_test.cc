#include "common/base/printable_text.h"

#include <catch2/catch.hpp>

namespace trellis {
namespace {

TEST_CASE("control characters are written as their codes, all else stays") {
  CHECK(PrintableText("plain 'text' \\ \u00fc") == "plain 'text' \\ \u00fc");
  CHECK(PrintableText(std::string_view("a\nb\r\t\x1b[1m\0\x7f", 11)) ==
        "a\\x0ab\\x0d\\x09\\x1b[1m\\x00\\x7f");
  CHECK(PrintableText("").empty());
}

TEST_CASE("a longer text is cut, and says so") {
  CHECK(PrintableText("abcdef", 6) == "abcdef");
  CHECK(PrintableText("abcdef", 3) == "abc...");
  CHECK(PrintableText("a\nb", 2) == "a\\x0a...");
}

}  // namespace
}  // namespace trellis
