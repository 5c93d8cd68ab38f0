#include "common/segment_writer/properties_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "common/base/utf8.h"

namespace trellis::segment_writer {
namespace {

void AppendUnit(uint32_t unit, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\\u{:04X}", unit);
}

void AppendEscaped(uint32_t point, std::string& out) {
  switch (point) {
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
    case '\\':
      out += "\\\\";
      return;
    case ',':
      out += "\\,";
      return;
    default:
      break;
  }
  if (point >= 0x20 && point <= 0x7E) {
    out += static_cast<char>(point);
  } else if (point < kFirstSupplementary) {
    AppendUnit(point, out);
  } else {
    AppendUnit(HighSurrogateOf(point), out);
    AppendUnit(LowSurrogateOf(point), out);
  }
}

std::string EscapedValue(std::string_view value) {
  std::string out;
  while (!value.empty()) {
    const CodePoint next = DecodeUtf8(value);
    // A byte that begins no character stands for itself.
    AppendEscaped(next.size_bytes != 0 ? next.value : static_cast<uint8_t>(value[0]), out);
    value.remove_prefix(std::max<size_t>(next.size_bytes, 1));
  }
  return out;
}

std::string EscapedKey(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == ' ' || c == '\t' || c == '\f' || c == '=' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void PropertiesText::AddEscaped(std::string_view key, std::string_view escaped_value) {
  const bool no_blank = escaped_value.empty() && empty_ == EmptyValue::kNone;
  text_ += EscapedKey(key);
  text_ += no_blank ? " =" : " = ";
  text_ += escaped_value;
  text_ += '\n';
}

void PropertiesText::Add(std::string_view key, std::string_view value) {
  AddEscaped(key, EscapedValue(value));
}

void PropertiesText::AddList(std::string_view key, std::span<const std::string> elements) {
  if (elements.empty()) return;
  std::string value;
  for (const std::string& element : elements) {
    if (&element != elements.data()) value += ',';
    value += EscapedValue(element);
  }
  AddEscaped(key, value);
}

std::optional<std::string> EscapeStringValue(std::string_view text) {
  std::string out;
  if (text.starts_with(' ')) out += '\0';
  for (const char c : text) {
    if (static_cast<uint8_t>(c) >= 0xF0) return std::nullopt;
    if (c == ',') {
      out.append(2, '\0');
    } else {
      out += c;
    }
  }
  if (text.ends_with(' ')) out += '\0';
  return out;
}

uint64_t Utf16Units(std::string_view text) {
  uint64_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    units += (byte & 0xC0) != 0x80;
    units += byte >= 0xF0;
  }
  return units;
}

}  // namespace trellis::segment_writer
