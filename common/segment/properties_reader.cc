#include "common/segment/properties_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "common/base/hex_digit.h"
#include "common/base/nearest_name.h"
#include "common/base/utf8.h"

namespace trellis::segment {
namespace {

bool IsBlank(char c) { return static_cast<unsigned char>(c) <= ' '; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Collects UTF-16 units and bytes into UTF-8. A surrogate without its partner becomes U+FFFD.
class Utf8Builder {
 public:
  void Byte(char c) {
    FlushHigh();
    text_ += c;
  }
  void Unit(uint32_t unit) {
    if (IsHighSurrogate(unit)) {
      FlushHigh();
      high_ = unit;
    } else if (IsLowSurrogate(unit)) {
      if (high_ == 0) return Put(0xFFFD);
      Put(JoinSurrogates(std::exchange(high_, 0), unit));
    } else {
      FlushHigh();
      Put(unit);
    }
  }
  std::string Take() {
    FlushHigh();
    return std::move(text_);
  }

 private:
  void FlushHigh() {
    if (std::exchange(high_, 0) != 0) Put(0xFFFD);
  }
  void Put(uint32_t code_point) { AppendUtf8(code_point, text_); }
  std::string text_;
  uint32_t high_ = 0;
};

// Reads the 4 digits of a \u escape at `at` and moves behind them; nullopt when they are not 4 hex
// digits.
std::optional<uint32_t> ReadUnit(std::string_view text, size_t& at) {
  if (text.size() - at < 4) return std::nullopt;
  uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = HexDigit(text[at + i]);
    if (digit < 0) return std::nullopt;
    unit = unit << 4 | static_cast<uint32_t>(digit);
  }
  at += 4;
  return unit;
}

// The character of a control escape, or 0.
char ControlOf(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

std::optional<std::string> UnescapeValue(std::string_view raw) {
  Utf8Builder out;
  size_t at = 0;
  while (at < raw.size()) {
    const char c = raw[at++];
    if (c != '\\' || at == raw.size()) {
      out.Byte(c);
      continue;
    }
    const char next = raw[at++];
    if (const char control = ControlOf(next)) {
      out.Byte(control);
    } else if (next == 'u') {
      const auto unit = ReadUnit(raw, at);
      if (!unit) return std::nullopt;
      out.Unit(*unit);
    } else {
      if (std::string_view(":#=!\\'\"").find(next) == std::string_view::npos) out.Byte('\\');
      out.Byte(next);
    }
  }
  return out.Take();
}

// Reads an octal escape (1 to 3 digits, at most 0377) whose first digit is at `at`.
uint32_t ReadOctal(std::string_view raw, size_t& at) {
  const size_t digits_max = raw[at] <= '3' ? 3 : 2;
  uint32_t unit = 0;
  for (size_t n = 0; n < digits_max && at < raw.size() && raw[at] >= '0' && raw[at] <= '7'; ++n) {
    unit = unit * 8 + static_cast<uint32_t>(raw[at++] - '0');
  }
  return unit;
}

std::optional<std::string> UnescapeKey(std::string_view raw) {
  Utf8Builder out;
  size_t at = 0;
  while (at < raw.size()) {
    const char c = raw[at++];
    if (c != '\\') {
      out.Byte(c);
      continue;
    }
    if (at == raw.size()) break;
    const char next = raw[at];
    if (const char control = ControlOf(next)) {
      out.Byte(control);
      ++at;
    } else if (next == 'u') {
      while (at < raw.size() && raw[at] == 'u') ++at;
      if (at < raw.size() && raw[at] == '+') ++at;
      const auto unit = ReadUnit(raw, at);
      if (!unit) return std::nullopt;
      out.Unit(*unit);
    } else if (next >= '0' && next <= '7') {
      out.Unit(ReadOctal(raw, at));
    } else {
      out.Byte(next);
      ++at;
    }
  }
  return out.Take();
}

// The length of the raw key at the start of `line`: up to a blank, '=' or ':' that no backslash
// covers.
size_t KeyLength(std::string_view line) {
  size_t at = 0;
  while (at < line.size()) {
    const char c = line[at];
    if (IsBlank(c) || c == '=' || c == ':') break;
    if (c == '\\' && at + 1 == line.size()) break;
    at += c == '\\' ? 2 : 1;
  }
  return at;
}

bool Continues(std::string_view line) {
  size_t backslashes = 0;
  while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

bool HasEscape(std::string_view text) {
  return std::memchr(text.data(), '\\', text.size()) != nullptr;
}

bool IsInclude(std::string_view key) {
  if (key.empty() || (key[0] | 0x20) != 'i') return false;
  return EqualsIgnoreCase(key, "include") || EqualsIgnoreCase(key, "includeOptional");
}

bool IsSkipped(std::string_view line) { return line.empty() || line[0] == '#' || line[0] == '!'; }

}  // namespace

// Takes the next physical line off the text; "\n", "\r" and "\r\n" end one.
std::string_view PropertiesReader::TakeLine() {
  if (!newline_known_) {
    const size_t found = rest_.find('\n');
    newline_at_ = found == std::string_view::npos ? rest_.size() : found;
    newline_known_ = true;
  }
  std::string_view line = rest_.substr(0, newline_at_);
  size_t taken = newline_at_ + 1;
  if (const size_t carriage = line.find('\r'); carriage != std::string_view::npos) {
    line = line.substr(0, carriage);
    // The one '\n' may end many lines' search: it is looked for once.
    if (carriage + 1 < newline_at_ || newline_at_ == rest_.size()) taken = carriage + 1;
  }
  if (taken > newline_at_) newline_known_ = false;
  newline_at_ -= std::min(taken, newline_at_);
  rest_.remove_prefix(std::min(taken, rest_.size()));
  return line;
}

Result<std::string_view> PropertiesReader::JoinContinued(std::string_view line) {
  const size_t first_line = line_;
  std::string logical(line.substr(0, line.size() - 1));
  while (!rest_.empty()) {
    const std::string_view next = Trim(TakeLine());
    ++line_;
    if (IsSkipped(next)) continue;
    const bool more = Continues(next);
    logical += more ? next.substr(0, next.size() - 1) : next;
    if (!more) return Keep(std::move(logical));
  }
  return Status::Corrupt("line {}: the file ends inside a continued line", first_line);
}

bool PropertiesReader::TakeApart(std::string_view logical_line, PropertyLine& property) {
  const size_t key_length = KeyLength(logical_line);
  property.key = logical_line.substr(0, key_length);
  std::string_view raw = logical_line.substr(key_length);
  while (!raw.empty() && IsBlank(raw.front())) raw.remove_prefix(1);
  if (!raw.empty() && (raw.front() == '=' || raw.front() == ':')) {
    raw.remove_prefix(1);
    while (!raw.empty() && IsBlank(raw.front())) raw.remove_prefix(1);
  }
  property.value = raw;
  if (HasEscape(property.key)) {
    auto key = UnescapeKey(property.key);
    if (!key) return false;
    property.key = Keep(std::move(*key));
  }
  if (HasEscape(property.value)) {
    auto value = UnescapeValue(property.value);
    if (!value) return false;
    property.value = Keep(std::move(*value));
  }
  return true;
}

Result<bool> PropertiesReader::Next(PropertyLine& property) {
  while (!rest_.empty()) {
    std::string_view line = Trim(TakeLine());
    property.line = ++line_;
    if (IsSkipped(line)) continue;
    if (line.back() == '\\' && Continues(line)) {
      TRELLIS_ASSIGN_OR_RETURN(line, JoinContinued(line));
    }
    if (!TakeApart(line, property))
      return Status::Corrupt("line {}: \\u is not followed by 4 hex digits", property.line);
    if (!IsInclude(property.key)) return true;
  }
  return false;
}

void PropertiesReader::Split(std::string_view value, std::vector<std::string_view>& elements) {
  if (value.find(',') == std::string_view::npos) {
    elements.push_back(value);
    return;
  }
  if (!HasEscape(value)) {
    for (size_t comma = 0; comma != std::string_view::npos;) {
      comma = value.find(',');
      elements.push_back(Trim(value.substr(0, comma)));
      if (comma != std::string_view::npos) value.remove_prefix(comma + 1);
    }
    return;
  }
  std::string token;
  bool escaped = false;
  const auto finish = [&] {
    elements.push_back(Keep(std::string(Trim(token))));
    token.clear();
  };
  for (const char c : value) {
    if (escaped) {
      if (c != ',' && c != '\\') token += '\\';
      token += c;
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (c == ',') {
      finish();
    } else {
      token += c;
    }
  }
  if (escaped) token += '\\';
  finish();
}

std::string_view PropertiesReader::FirstElement(std::string_view value) {
  if (value.find(',') == std::string_view::npos) return value;
  std::vector<std::string_view> elements;
  Split(value, elements);
  return elements.front();
}

}  // namespace trellis::segment
