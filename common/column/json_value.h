#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trellis::column {

// What the JSON text of one map value is, decided on the text itself.
enum class JsonKind : uint8_t {
  kAbsent,    // JSON null, or not valid JSON: Pinot tells neither from a missing key
  kString,    // `text` = what is between the quotes, without any escape
  kEscaped,   // a string with escapes: UnescapeJson reads it
  kInteger,   // `text` = the digits
  kFraction,  // a number with a point or an exponent
  kTrue,
  kFalse,
  kNested,  // an object or a list; not looked into
};
struct JsonValue {
  JsonKind kind = JsonKind::kAbsent;
  std::string_view text;
};
JsonValue ClassifyJson(std::string_view json);

// The content of a kEscaped string; nullopt when it is not valid JSON.
std::optional<std::string> UnescapeJson(std::string_view json);
// Java's toString of the Map or List that a kNested text stands for: `{a=[1, two, 3.5], z=null}`.
// nullopt when it is not valid JSON.
std::optional<std::string> NestedJsonText(std::string_view json);
// Whether a whole JSON text is valid.
bool IsValidJson(std::string_view json);

}  // namespace trellis::column
