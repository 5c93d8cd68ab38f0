#include "broker/front/json_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace trellis::broker {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct CodePoint {
  uint32_t value = 0;
  size_t size_bytes = 0;  // 0: not valid here
};

// Decodes a character of two to four bytes; over-long forms and surrogates are not valid.
CodePoint DecodeUtf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  uint32_t value = lead & (0x7F >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  const bool over_long = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (over_long || surrogate || value > 0x10FFFF) return {};
  return {value, size};
}

void AppendControl(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<uint8_t>(c));
  }
}

// Appends the character at the front of `text`, which is not ASCII; returns the bytes it took.
size_t AppendWide(std::string_view text, std::string& out) {
  const CodePoint character = DecodeUtf8(text);
  if (character.size_bytes == 0) {
    out += kReplacement;
    return 1;
  }
  if (character.size_bytes < 4) {
    out += text.substr(0, character.size_bytes);
  } else {
    const uint32_t above = character.value - 0x10000;
    fmt::format_to(std::back_inserter(out), "\\u{:04X}\\u{:04X}", 0xD800 + (above >> 10),
                   0xDC00 + (above & 0x3FF));
  }
  return character.size_bytes;
}

bool IsPlain(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  size_t plain_from = 0;
  size_t at = 0;
  while (at < text.size()) {
    if (IsPlain(text[at])) {
      ++at;
      continue;
    }
    out += text.substr(plain_from, at - plain_from);
    if (static_cast<uint8_t>(text[at]) >= 0x80) {
      at += AppendWide(text.substr(at), out);
    } else {
      AppendControl(text[at++], out);
    }
    plain_from = at;
  }
  out += text.substr(plain_from);
  out += '"';
}

}  // namespace trellis::broker
