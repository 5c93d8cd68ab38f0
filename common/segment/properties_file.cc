#include "common/segment/properties_file.h"

#include <utility>

#include "common/base/nearest_name.h"

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
    if (unit >= 0xD800 && unit < 0xDC00) {
      FlushHigh();
      high_ = unit;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      if (high_ == 0) return Put(0xFFFD);
      const uint32_t high = std::exchange(high_, 0);
      Put(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
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
  void Put(uint32_t code) {
    if (code < 0x80) {
      text_ += static_cast<char>(code);
      return;
    }
    if (code < 0x800) {
      text_ += static_cast<char>(0xC0 | code >> 6);
    } else if (code < 0x10000) {
      text_ += static_cast<char>(0xE0 | code >> 12);
      text_ += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    } else {
      text_ += static_cast<char>(0xF0 | code >> 18);
      text_ += static_cast<char>(0x80 | (code >> 12 & 0x3F));
      text_ += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    }
    text_ += static_cast<char>(0x80 | (code & 0x3F));
  }
  std::string text_;
  uint32_t high_ = 0;
};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

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

// Splits an unescaped value at ','. Without any ',' the value is one element as it stands.
std::vector<std::string> SplitList(std::string value) {
  if (value.find(',') == std::string::npos) return {std::move(value)};
  std::vector<std::string> elements;
  std::string token;
  bool escaped = false;
  const auto finish = [&] {
    elements.emplace_back(Trim(token));
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
  return elements;
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

// Takes the next physical line off `text`; "\n", "\r" and "\r\n" end one.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos) {
    text = {};
    return line;
  }
  const bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
  text.remove_prefix(end + (pair ? 2 : 1));
  return line;
}

}  // namespace

Result<PropertiesFile> PropertiesFile::Parse(std::string_view text) {
  PropertiesFile file;
  std::string logical;
  size_t line_number = 0;
  size_t first_line = 0;
  bool continued = false;
  while (!text.empty()) {
    const std::string_view line = Trim(TakeLine(text));
    ++line_number;
    if (line.empty() || line[0] == '#' || line[0] == '!') continue;
    if (!continued) first_line = line_number;
    continued = Continues(line);
    logical += continued ? line.substr(0, line.size() - 1) : line;
    if (continued) continue;
    TRELLIS_RETURN_IF_ERROR(file.Add(logical, first_line));
    logical.clear();
  }
  if (continued)
    return Status::Corrupt("line {}: the file ends inside a continued line", first_line);
  return file;
}

Status PropertiesFile::Add(std::string_view logical_line, size_t line) {
  const size_t key_length = KeyLength(logical_line);
  std::string_view raw = logical_line.substr(key_length);
  while (!raw.empty() && IsBlank(raw.front())) raw.remove_prefix(1);
  if (!raw.empty() && (raw.front() == '=' || raw.front() == ':')) {
    raw.remove_prefix(1);
    while (!raw.empty() && IsBlank(raw.front())) raw.remove_prefix(1);
  }
  auto key = UnescapeKey(logical_line.substr(0, key_length));
  auto value = UnescapeValue(raw);
  if (!key || !value) return Status::Corrupt("line {}: \\u is not followed by 4 hex digits", line);
  if (EqualsIgnoreCase(*key, "include") || EqualsIgnoreCase(*key, "includeOptional")) return {};

  const auto [found, added] = by_key_.try_emplace(*key, properties_.size());
  if (added) properties_.push_back({std::move(*key), {}, line});
  auto& values = properties_[found->second].values;
  for (std::string& element : SplitList(std::move(*value))) values.push_back(std::move(element));
  return {};
}

const PropertiesFile::Property* PropertiesFile::Find(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &properties_[found->second];
}

std::optional<std::string_view> PropertiesFile::First(std::string_view key) const {
  const Property* property = Find(key);
  if (property == nullptr) return std::nullopt;
  return property->values.front();
}

std::optional<std::string> PropertiesFile::Joined(std::string_view key) const {
  const Property* property = Find(key);
  if (property == nullptr) return std::nullopt;
  return JoinValues(*property);
}

std::string JoinValues(const PropertiesFile::Property& property) {
  std::string joined = property.values.front();
  for (size_t i = 1; i < property.values.size(); ++i) joined += "," + property.values[i];
  return joined;
}

}  // namespace trellis::segment
