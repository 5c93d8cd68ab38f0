#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

// Unicode code points one at a time; thread-safe, no memory but the text appended to. Whole texts
// as UTF-16 units, and letters' case, are common/eval/utf16.

struct CodePoint {
  uint32_t value = 0;
  size_t size_bytes = 0;  // 1 to 4; 0: no valid UTF-8 begins here
};

// Whether every byte is below 0x80.
bool IsAscii(std::string_view text);

// The character that `text` begins with. Cut-off and over-long forms, surrogates and what is beyond
// U+10FFFF are not valid, nor is an empty text.
CodePoint DecodeUtf8(std::string_view text);

// REQUIRES: `code_point` <= 0x10FFFF.
void AppendUtf8(uint32_t code_point, std::string& out);

// The UTF-16 units of a code point beyond U+FFFF, and back.
constexpr uint32_t kFirstSupplementary = 0x10000;
constexpr uint32_t HighSurrogateOf(uint32_t code_point) {
  return 0xD800 + ((code_point - kFirstSupplementary) >> 10);
}
constexpr uint32_t LowSurrogateOf(uint32_t code_point) {
  return 0xDC00 + ((code_point - kFirstSupplementary) & 0x3FF);
}
constexpr bool IsHighSurrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
constexpr bool IsLowSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }
constexpr uint32_t JoinSurrogates(uint32_t high, uint32_t low) {
  return kFirstSupplementary + ((high - 0xD800) << 10) + (low - 0xDC00);
}

}  // namespace trellis
