#include "common/base/hex_digit.h"

#include <catch2/catch.hpp>
#include <string_view>

namespace trellis {

TEST_CASE("hex digits of either case have their values, other bytes none") {
  constexpr std::string_view kLower = "0123456789abcdef", kUpper = "0123456789ABCDEF";
  int digits = 0;
  for (int byte = -128; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    const size_t at = kLower.find(c) != kLower.npos ? kLower.find(c) : kUpper.find(c);
    CAPTURE(byte);
    CHECK(HexDigit(c) == (at == kUpper.npos ? -1 : static_cast<int>(at)));
    digits += HexDigit(c) >= 0;
  }
  CHECK(digits == 22);
}

}  // namespace trellis
