#include "common/base/utf8.h"

#include <cstring>

namespace trellis {

bool IsAscii(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (word & 0x8080808080808080) return false;
  }
  for (; i < text.size(); ++i) {
    if (text[i] & 0x80) return false;
  }
  return true;
}

CodePoint DecodeUtf8(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  uint32_t value = lead & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  const bool over_long = (size == 3 && value < 0x800) || (size == 4 && value < kFirstSupplementary);
  const bool surrogate = IsHighSurrogate(value) || IsLowSurrogate(value);
  if (over_long || surrogate || value > 0x10FFFF) return {};
  return {value, size};
}

void AppendUtf8(uint32_t code_point, std::string& out) {
  const auto trailing = [&](int shift) {
    out += static_cast<char>(0x80 | (code_point >> shift & 0x3F));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | code_point >> 6);
  } else if (code_point < kFirstSupplementary) {
    out += static_cast<char>(0xE0 | code_point >> 12);
    trailing(6);
  } else {
    out += static_cast<char>(0xF0 | code_point >> 18);
    trailing(12);
    trailing(6);
  }
  if (code_point >= 0x80) trailing(0);
}

}  // namespace trellis
