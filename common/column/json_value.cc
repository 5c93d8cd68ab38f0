#include "common/column/json_value.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "common/base/bytes.h"
#include "common/types/java_text.h"

namespace trellis::column {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view TrimBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes digits off the front; returns how many.
size_t TakeDigits(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && IsDigit(text[n])) ++n;
  text.remove_prefix(n);
  return n;
}

JsonValue ClassifyNumber(std::string_view json) {
  std::string_view rest = json;
  if (rest.front() == '-') rest.remove_prefix(1);
  const bool zero_first = !rest.empty() && rest.front() == '0';
  const size_t digits = TakeDigits(rest);
  if (digits == 0 || (zero_first && digits > 1)) return {};
  if (rest.empty()) return {JsonKind::kInteger, json == "-0" ? std::string_view("0") : json};
  if (rest.front() == '.') {
    rest.remove_prefix(1);
    if (TakeDigits(rest) == 0) return {};
  }
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    rest.remove_prefix(1);
    if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) rest.remove_prefix(1);
    if (TakeDigits(rest) == 0) return {};
  }
  return rest.empty() ? JsonValue{JsonKind::kFraction, json} : JsonValue{};
}

// Which bytes of a string are not plainly themselves, eight at a time: 0x80 in some byte of the
// result where `word` has such a byte.
uint64_t BelowBlank(uint64_t word) { return (word - 0x2020202020202020) & ~word; }
uint64_t Holds(uint64_t word, char c) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t differs = word ^ (kOnes * static_cast<unsigned char>(c));
  return (differs - kOnes) & ~differs;
}
constexpr uint64_t kHighBits = 0x8080808080808080;

struct OddBytes {
  uint64_t control = 0, quote = 0, escape = 0;

  void Add(uint64_t word) {
    control |= BelowBlank(word);
    quote |= Holds(word, '"');
    escape |= Holds(word, '\\');
  }
};

OddBytes OddBytesOf(std::string_view content) {
  OddBytes odd;
  const auto* at = reinterpret_cast<const uint8_t*>(content.data());
  if (content.size() < 8) {
    uint64_t word = 0x2020202020202020;
    for (size_t i = 0; i < content.size(); ++i) word = word << 8 | at[i];
    odd.Add(word);
    return odd;
  }
  const uint8_t* const last = at + content.size() - 8;
  for (; at < last; at += 8) odd.Add(LoadLittleEndian<uint64_t>(at));
  odd.Add(LoadLittleEndian<uint64_t>(last));
  return odd;
}

JsonValue ClassifyString(std::string_view json) {
  if (json.size() < 2 || json.back() != '"') return {};
  const std::string_view content = json.substr(1, json.size() - 2);
  const OddBytes odd = OddBytesOf(content);
  if ((odd.control & kHighBits) != 0) return {};
  if ((odd.escape & kHighBits) != 0) return {JsonKind::kEscaped, json};
  return (odd.quote & kHighBits) != 0 ? JsonValue{} : JsonValue{JsonKind::kString, content};
}

// Writes Java's text of each JSON event: `=` behind keys, `, ` between elements.
class JavaTextWriter : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string TakeText() { return std::move(text_); }

  bool null() override { return Element("null"); }
  bool boolean(bool value) override { return Element(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return Element(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Element(std::to_string(value)); }
  // Integers beyond 64 bits arrive here, too; Java keeps their digits.
  bool number_float(number_float_t value, const string_t& digits) override {
    const JsonValue number = ClassifyJson(digits);
    return Element(number.kind == JsonKind::kInteger ? std::string(number.text)
                                                     : JavaDoubleText(value));
  }
  bool string(string_t& value) override { return Element(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open('{'); }
  bool key(string_t& name) override {
    if (!firsts_.back()) text_ += ", ";
    firsts_.back() = true;  // the value follows its key without a comma
    text_ += name;
    text_ += '=';
    return true;
  }
  bool end_object() override { return Close('}'); }
  bool start_array(size_t) override { return Open('['); }
  bool end_array() override { return Close(']'); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  void Separate() {
    if (firsts_.empty()) return;
    if (!firsts_.back()) text_ += ", ";
    firsts_.back() = false;
  }
  bool Element(std::string_view text) {
    Separate();
    text_ += text;
    return true;
  }
  bool Open(char bracket) {
    Separate();
    text_ += bracket;
    firsts_.push_back(true);
    return true;
  }
  bool Close(char bracket) {
    text_ += bracket;
    firsts_.pop_back();
    return true;
  }

  std::string text_;
  std::vector<bool> firsts_;  // per open bracket: nothing needs a comma in front yet
};

}  // namespace

JsonValue ClassifyJson(std::string_view json) {
  if (!json.empty() && (IsBlank(json.front()) || IsBlank(json.back()))) json = TrimBlanks(json);
  if (json.empty()) return {};
  switch (json.front()) {
    case '"':
      return ClassifyString(json);
    case '{':
    case '[':
      return {JsonKind::kNested, json};
    case 't':
      return json == "true" ? JsonValue{JsonKind::kTrue, json} : JsonValue{};
    case 'f':
      return json == "false" ? JsonValue{JsonKind::kFalse, json} : JsonValue{};
    default:
      return json.front() == '-' || IsDigit(json.front()) ? ClassifyNumber(json) : JsonValue{};
  }
}

std::optional<std::string> UnescapeJson(std::string_view json) {
  const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_string()) return std::nullopt;
  return parsed.get_ref<const std::string&>();
}

std::optional<std::string> NestedJsonText(std::string_view json) {
  JavaTextWriter writer;
  if (!nlohmann::json::sax_parse(json, &writer)) return std::nullopt;
  return writer.TakeText();
}

bool IsValidJson(std::string_view json) {
  const JsonValue value = ClassifyJson(json);
  switch (value.kind) {
    case JsonKind::kAbsent:
      return TrimBlanks(json) == "null";
    case JsonKind::kEscaped:
    case JsonKind::kNested:
      return nlohmann::json::accept(value.text);
    default:
      return true;
  }
}

}  // namespace trellis::column
