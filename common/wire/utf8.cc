#include "common/wire/utf8.h"

#include <cstdint>

namespace trellis::wire {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Bytes of the character at the start of `text`, 0 when it is malformed. REQUIRES: not empty.
size_t CharacterSize(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < size) return 0;
  // Overlong forms, surrogates and code points above U+10FFFF show in the second byte.
  uint8_t low = 0x80;
  uint8_t high = 0xbf;
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return size;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string ToUtf8(std::string_view text, size_t size_bytes_max) {
  std::string out;
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    const std::string_view character = size == 0 ? kReplacement : text.substr(0, size);
    if (character.size() > size_bytes_max - out.size()) break;
    out += character;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

}  // namespace trellis::wire
