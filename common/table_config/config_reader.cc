#include "common/table_config/config_reader.h"

#include <charconv>
#include <cmath>

#include "common/base/nearest_name.h"
#include "common/types/java_text.h"

namespace trellis::table_config {
namespace {

using Json = nlohmann::json;

constexpr size_t kShownMax = 64;
constexpr size_t kWarningsMax = 1000;

// Errors and warnings quote what a stranger wrote: short, and without line breaks.
std::string Shown(std::string text) {
  if (text.size() > kShownMax) text = text.substr(0, kShownMax) + "...";
  for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return text;
}

std::string Shown(const Json& value) {
  return Shown(value.is_string() ? value.get<std::string>()
                                 : value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// The text of a scalar as Jackson would hand it to a parser of text.
std::optional<std::string> ScalarText(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_structured()) return std::nullopt;
  return value.dump();
}

// "8K", "1.5MB", "100": digits, an optional fraction, an optional unit K M G T P, an optional B.
std::optional<int64_t> ParseDataSize(std::string_view text) {
  const size_t digits_end = text.find_first_not_of("0123456789.");
  const std::string_view digits = text.substr(0, digits_end);
  std::string unit = ToLowerAscii(digits_end == text.npos ? "" : text.substr(digits_end));
  if (digits.empty() || digits.front() == '.' || digits.back() == '.') return std::nullopt;
  double size = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  if (unit.ends_with('b')) unit.pop_back();
  constexpr std::string_view kUnits = "kmgtp";
  if (unit.size() > 1) return std::nullopt;
  if (!unit.empty()) {
    const size_t power = kUnits.find(unit[0]);
    if (power == kUnits.npos) return std::nullopt;
    size = std::ldexp(size, static_cast<int>(10 * (power + 1)));
  }
  return JavaDoubleToLong(size);
}

}  // namespace

std::string ConfigReader::PathOf(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

Status ConfigReader::Wrong(const std::string& key, const Json& value, std::string_view kind) const {
  return Status::InvalidArgument("{}: {}: '{}' is no {}", of_, PathOf(key), Shown(value), kind);
}

Status ConfigReader::CheckObject() const {
  if (object_->is_object()) return {};
  return Status::InvalidArgument("{}: {}: '{}' is no object", of_, path_, Shown(*object_));
}

const Json* ConfigReader::Find(const std::string& key) {
  asked_.insert(key);
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

Result<std::optional<std::string>> ConfigReader::Text(const std::string& key) {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<std::string>();
  auto text = ScalarText(*value);
  if (!text) return Wrong(key, *value, "text");
  return text;
}

Result<std::optional<bool>> ConfigReader::Flag(const std::string& key) {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<bool>();
  if (value->is_boolean()) return std::optional<bool>(value->get<bool>());
  if (value->is_string()) {
    const auto text = value->get<std::string>();
    if (EqualsIgnoreCase(text, "true")) return std::optional<bool>(true);
    if (EqualsIgnoreCase(text, "false")) return std::optional<bool>(false);
  }
  return Wrong(key, *value, "flag (true or false)");
}

Result<std::optional<int32_t>> ConfigReader::Integer(const std::string& key) {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<int32_t>();
  const auto text = ScalarText(*value);
  const auto number = text ? ParseJavaInt(*text) : std::nullopt;
  if (!number) return Wrong(key, *value, "integer");
  return number;
}

Result<std::optional<double>> ConfigReader::Number(const std::string& key) {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<double>();
  const auto text = ScalarText(*value);
  const auto number = text ? ParseJavaDouble(*text) : std::nullopt;
  if (!number || !std::isfinite(*number)) return Wrong(key, *value, "number");
  return number;
}

Result<std::optional<int64_t>> ConfigReader::DataSize(const std::string& key) {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<int64_t>();
  const auto text = ScalarText(*value);
  const auto size = text ? ParseDataSize(*text) : std::nullopt;
  if (!size) return Wrong(key, *value, "size (such as 64K or 1M)");
  return size;
}

Result<std::vector<std::string>> ConfigReader::Names(const std::string& key, bool or_text) {
  std::vector<std::string> names;
  const Json* value = Find(key);
  if (value == nullptr) return names;
  if (or_text && value->is_string()) {
    names.push_back(value->get<std::string>());
    return names;
  }
  if (!value->is_array()) return Wrong(key, *value, "list of names");
  for (const Json& name : *value) {
    if (name.is_null()) continue;
    auto text = ScalarText(name);
    if (!text) return Wrong(key, name, "name");
    names.push_back(std::move(*text));
  }
  return names;
}

Result<const Json*> ConfigReader::Object(const std::string& key) {
  const Json* value = Find(key);
  if (value != nullptr && !value->is_object()) return Wrong(key, *value, "object");
  return value;
}

Result<const Json*> ConfigReader::List(const std::string& key) {
  const Json* value = Find(key);
  if (value != nullptr && !value->is_array()) return Wrong(key, *value, "list");
  return value;
}

void ConfigReader::Warn(const std::string& key, std::string_view what) {
  if (warnings_->size() < kWarningsMax)
    warnings_->push_back(Shown(PathOf(key)) + ": " + std::string(what));
}

void ConfigReader::WarnIfAsked(const std::string& key, std::string_view what) {
  const Json* value = Find(key);
  if (value == nullptr || (value->is_structured() && value->empty())) return;
  if (value->is_boolean() && !value->get<bool>()) return;
  if (value->is_string() && EqualsIgnoreCase(value->get<std::string>(), "false")) return;
  Warn(key, what);
}

void ConfigReader::WarnOfUnknown(std::span<const std::string> silent) {
  std::vector<std::string> known(silent.begin(), silent.end());
  known.insert(known.end(), asked_.begin(), asked_.end());
  const std::set<std::string, std::less<>> names(known.begin(), known.end());
  for (const auto& [key, value] : object_->items())
    if (!names.contains(key)) Warn(key, "unknown key" + DidYouMean(key, known));
}

}  // namespace trellis::table_config
