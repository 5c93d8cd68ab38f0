#include "broker/front/json_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "common/base/utf8.h"

namespace trellis::broker {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

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
    fmt::format_to(std::back_inserter(out), "\\u{:04X}\\u{:04X}", HighSurrogateOf(character.value),
                   LowSurrogateOf(character.value));
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
