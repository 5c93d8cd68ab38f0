#include "broker/sql/string_literal.h"

#include <algorithm>
#include <cstdint>

#include "common/base/hex_digit.h"
#include "common/base/utf8.h"

namespace trellis::sql {
namespace {

// Appends the code point of the `digits` hex digits at `at` and moves `at` behind them. Refuses
// halves of surrogate pairs: they have no UTF-8 form.
bool AppendHexCodePoint(std::string_view raw, size_t digits, size_t* at, std::string* out) {
  if (raw.size() - *at < digits) return false;
  uint32_t code_point = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int digit = HexDigit(raw[*at + i]);
    if (digit < 0) return false;
    code_point = code_point << 4 | static_cast<uint32_t>(digit);
  }
  if (IsHighSurrogate(code_point) || IsLowSurrogate(code_point)) return false;
  *at += digits;
  AppendUtf8(code_point, *out);
  return true;
}

// \t \n \b \f \r \uXXXX \xHH; any other character stands for itself.
std::optional<std::string> DecodeCEscapes(std::string_view raw) {
  std::string out;
  for (size_t at = 0; at < raw.size();) {
    const char c = raw[at++];
    if (c != '\\') {
      out.push_back(c);
      continue;
    }
    if (at == raw.size()) return std::nullopt;
    const char escaped = raw[at++];
    switch (escaped) {
      case 't':
        out.push_back('\t');
        break;
      case 'n':
        out.push_back('\n');
        break;
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 'u':
        if (!AppendHexCodePoint(raw, 4, &at, &out)) return std::nullopt;
        break;
      case 'x':
        if (!AppendHexCodePoint(raw, 2, &at, &out)) return std::nullopt;
        break;
      default:
        out.push_back(escaped);
    }
  }
  return out;
}

// \XXXX and \\.
std::optional<std::string> DecodeUnicodeEscapes(std::string_view raw) {
  std::string out;
  for (size_t at = 0; at < raw.size();) {
    const char c = raw[at++];
    if (c != '\\') {
      out.push_back(c);
    } else if (at < raw.size() && raw[at] == '\\') {
      out.push_back('\\');
      ++at;
    } else if (!AppendHexCodePoint(raw, 4, &at, &out)) {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> BitText(std::string_view hex) {
  std::string out;
  for (const char c : hex) {
    const int digit = HexDigit(c);
    if (digit < 0) return std::nullopt;
    for (int bit = 3; bit >= 0; --bit) out.push_back((digit >> bit & 1) != 0 ? '1' : '0');
  }
  // Pinot prints the bits as a number: without leading zeros.
  out.erase(0, std::min(out.find('1'), out.empty() ? 0 : out.size() - 1));
  return out;
}

}  // namespace

std::string UndoubleQuotes(std::string_view text, char quote) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    out.push_back(text[at]);
    if (text[at] == quote && at + 1 < text.size() && text[at + 1] == quote) ++at;
  }
  return out;
}

std::optional<std::string> DecodeString(std::string_view prefix, std::string_view raw) {
  std::optional<std::string> value = UndoubleQuotes(raw, '\'');
  const char kind = prefix.empty() ? '\0' : prefix.front();
  if (kind == 'e' || kind == 'E') {
    value = DecodeCEscapes(*value);
  } else if (kind == 'u' || kind == 'U') {
    value = DecodeUnicodeEscapes(*value);
  } else if (kind == 'x' || kind == 'X') {
    value = BitText(*value);
  }
  if (value && value->find("''") != std::string::npos) value = UndoubleQuotes(*value, '\'');
  return value;
}

}  // namespace trellis::sql
