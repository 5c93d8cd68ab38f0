#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trellis::segment_writer {

// Writes a properties file as Pinot's library does (format notes 2.1): `key = value`, blanks and
// separators of keys escaped, control characters and all beyond ASCII of values as \uXXXX. Keys
// are UTF-8 as they are: that is how the library writes and reads them.
class PropertiesText {
 public:
  // How a key without a value ends: Pinot reads its own file and writes it again when it packs a
  // segment, and then loses the blank behind the '='.
  enum class EmptyValue : uint8_t { kBlank, kNone };
  explicit PropertiesText(EmptyValue empty) : empty_(empty) {}

  void Add(std::string_view key, std::string_view value);
  void Add(std::string_view key, int64_t value) { Add(key, std::to_string(value)); }
  // One line with the elements behind each other; none for an empty list.
  void AddList(std::string_view key, std::span<const std::string> elements);
  const std::string& text() const { return text_; }

 private:
  void AddEscaped(std::string_view key, std::string_view escaped_value);
  EmptyValue empty_;
  std::string text_;
};

// Pinot's own layer below that escape, for STRING values of minValue, maxValue and
// defaultNullValue: what segment::UnescapeStringValue undoes. nullopt where Pinot stores no such
// value: text with a character beyond U+FFFF.
std::optional<std::string> EscapeStringValue(std::string_view text);

// Length in UTF-16 units of UTF-8 text.
uint64_t Utf16Units(std::string_view text);

}  // namespace trellis::segment_writer
