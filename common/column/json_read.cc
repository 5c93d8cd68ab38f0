#include "common/column/json_read.h"

#include <array>
#include <charconv>
#include <optional>
#include <type_traits>

#include "common/column/json_value.h"
#include "common/types/big_decimal.h"
#include "common/types/java_text.h"
#include "common/types/value_payload.h"

namespace trellis::column {
namespace {

// A JSON number without exponent and of few enough digits: digits / 10^fraction_digits.
struct PlainNumber {
  uint64_t digits = 0;
  int digit_count = 0;
  int fraction_digits = 0;
  bool negative = false;
};

// Fifteen digits fit a double's mantissa, eighteen an int64.
constexpr int kExactDigitsMax = 15;
constexpr int kPlainDigitsMax = 18;

// Takes digits off the front of [at, end).
void TakeDigits(const char*& at, const char* end, PlainNumber& number) {
  for (; at != end && static_cast<unsigned char>(*at - '0') < 10; ++at) {
    number.digits = number.digits * 10 + static_cast<unsigned char>(*at - '0');
    ++number.digit_count;
  }
}

// False for every text that is not such a number, and for some that are: the slow way reads those.
bool TakePlainNumber(std::string_view json, PlainNumber& number) {
  if (json.size() > kPlainDigitsMax) return false;
  const char* at = json.data();
  const char* const end = at + json.size();
  number.negative = at != end && *at == '-';
  at += number.negative;
  const char* const first = at;
  TakeDigits(at, end, number);
  if (at == first || (*first == '0' && at - first > 1)) return false;
  if (at == end) return true;
  if (*at != '.') return false;
  const int before = number.digit_count;
  TakeDigits(++at, end, number);
  number.fraction_digits = number.digit_count - before;
  return at == end && number.fraction_digits > 0;
}

constexpr std::array<double, kExactDigitsMax + 1> kPowersOfTen = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// Exact: both operands are, so that the one division rounds as the decimal would.
double DoubleOf(const PlainNumber& number) {
  const double value = static_cast<double>(number.digits) /
                       kPowersOfTen[static_cast<size_t>(number.fraction_digits)];
  const bool integer_zero = number.digits == 0 && number.fraction_digits == 0;  // -0 is 0
  return number.negative && !integer_zero ? -value : value;
}

// A double that stands for at most fifteen digits has those as its shortest text, so that reading
// FLOAT from that text is reading it from the digits.
bool FloatOf(const PlainNumber& number, std::string_view json, float& to) {
  constexpr uint64_t kExactFloatMax = 1 << 24;
  if (number.digits == 0 || (number.digits <= kExactFloatMax && number.fraction_digits <= 10)) {
    to = static_cast<float>(number.digits) /
         static_cast<float>(
             kPowersOfTen[static_cast<size_t>(number.digits == 0 ? 0 : number.fraction_digits)]);
    const bool integer_zero = number.digits == 0 && number.fraction_digits == 0;
    if (number.negative && !integer_zero) to = -to;
    return true;
  }
  return std::from_chars(json.data(), json.data() + json.size(), to).ec == std::errc();
}

// The text of a value where it is read as STRING, or as the digits that typed reads parse. A view
// into `value`'s text or into `storage`. nullopt where there is no value.
std::optional<std::string_view> ScalarText(const JsonValue& value, NestedText nested,
                                           std::string& storage) {
  switch (value.kind) {
    case JsonKind::kAbsent:
      return std::nullopt;
    case JsonKind::kString:
    case JsonKind::kInteger:
    case JsonKind::kTrue:
    case JsonKind::kFalse:
      return value.text;
    case JsonKind::kFraction:
      storage = JavaDoubleText(ParseJavaDouble(value.text).value_or(0));
      return storage;
    case JsonKind::kNested:
      if (nested == NestedText::kJson) {
        if (!IsValidJson(value.text)) return std::nullopt;
        return value.text;
      }
      [[fallthrough]];
    case JsonKind::kEscaped: {
      auto text =
          value.kind == JsonKind::kEscaped ? UnescapeJson(value.text) : NestedJsonText(value.text);
      if (!text.has_value()) return std::nullopt;
      storage = std::move(*text);
      return storage;
    }
  }
  return std::nullopt;
}

template <class T>
std::optional<T> ParseNumber(std::string_view text) {
  if constexpr (std::is_same_v<T, int32_t>) return ParseJavaInt(text);
  if constexpr (std::is_same_v<T, int64_t>) return ParseJavaLong(text);
  if constexpr (std::is_same_v<T, float>) return ParseJavaFloat(text);
  if constexpr (std::is_same_v<T, double>) return ParseJavaDouble(text);
}

}  // namespace

JsonTextReader::JsonTextReader(std::string_view key, NestedText nested, bool missing_is_null,
                               ColumnVector& out)
    : key_(key),
      nested_(nested),
      missing_is_null_(missing_is_null),
      type_(out.type()),
      is_text_(IsText(out.type())),
      out_(out),
      missing_(DefaultNullValue(out.type(), /*is_metric=*/false)) {}

Status JsonTextReader::Unreadable(std::string_view text) const {
  return Status::Query(PinotCode::kQueryExecution,
                       "value '{}' of map key '{}' cannot be read as {}", text.substr(0, 64), key_,
                       DataTypeName(type_));
}

Result<bool> JsonTextReader::ReadBytes(std::string_view text, bool temporary,
                                       std::string_view& to) {
  if (is_text_) {
    to = temporary ? out_.arena().Copy(text) : text;
    return true;
  }
  if (type_ != DataType::kBigDecimal) return Unreadable(text);
  const Result<BigDecimal> decimal = BigDecimal::FromText(text);
  if (!decimal.ok()) return Unreadable(text);
  to = out_.arena().Copy(decimal->ToBytes());
  return true;
}

// Any JSON text. False when there is no value, so that the default stands.
template <class T>
Result<bool> JsonTextReader::ReadSlowly(std::string_view json, T& to) {
  const JsonValue value = ClassifyJson(json);
  storage_.clear();
  // A decimal keeps its digits; what else is read of a fraction is what its double is.
  const bool exact = type_ == DataType::kBigDecimal && value.kind == JsonKind::kFraction;
  const std::optional<std::string_view> text =
      exact ? value.text : ScalarText(value, nested_, storage_);
  if (!text.has_value()) return false;
  if constexpr (std::is_same_v<T, std::string_view>) {
    return ReadBytes(*text, !storage_.empty(), to);
  } else {
    if (type_ == DataType::kBoolean &&
        (value.kind == JsonKind::kTrue || value.kind == JsonKind::kFalse)) {
      to = static_cast<T>(value.kind == JsonKind::kTrue);
      return true;
    }
    const std::optional<T> parsed = ParseNumber<T>(*text);
    if (!parsed.has_value()) return Unreadable(*text);
    to = *parsed;
    return true;
  }
}

// The texts that most values are, read as ReadSlowly reads them; false leaves them to it.
template <class T>
bool JsonTextReader::ReadFast(std::string_view json, T& to) const {
  if constexpr (std::is_same_v<T, std::string_view>) {
    if (!is_text_ || json.empty() || json.front() != '"') return false;
    const JsonValue value = ClassifyJson(json);
    to = value.text;
    return value.kind == JsonKind::kString;
  } else {
    PlainNumber number;
    if (!TakePlainNumber(json, number)) return false;
    if constexpr (std::is_integral_v<T>) {
      const auto magnitude = static_cast<int64_t>(number.digits);
      const int64_t value = number.negative ? -magnitude : magnitude;
      to = static_cast<T>(value);
      return number.fraction_digits == 0 && to == value;
    } else {
      if (number.digit_count > kExactDigitsMax) return false;
      if constexpr (std::is_same_v<T, float>) return FloatOf(number, json, to);
      to = static_cast<T>(DoubleOf(number));
      return true;
    }
  }
}

template <class T>
Status JsonTextReader::ReadRows(const std::string_view* texts, size_t stride, size_t first,
                                size_t count, size_t& failed) {
  T missing = PayloadAs<T>(missing_);
  if constexpr (std::is_same_v<T, std::string_view>) {
    static constexpr std::string_view kNoText = "null";
    missing = missing == kNoText ? kNoText : out_.arena().Copy(missing);
  }
  T* const to = out_.values<T>().data() + first;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view json = texts[i * stride];
    if (json.data() != nullptr) {
      if (ReadFast(json, to[i])) continue;
      const Result<bool> found = ReadSlowly(json, to[i]);
      if (!found.ok()) {
        failed = i;
        return found.status();
      }
      if (*found) continue;
    }
    to[i] = missing;
    if (missing_is_null_) out_.SetNull(first + i);
  }
  return {};
}

Status JsonTextReader::Read(const std::string_view* texts, size_t stride, size_t first,
                            size_t count, size_t& failed) {
  return WithPhysical(PhysicalOf(type_), [&](auto tag) {
    return ReadRows<decltype(tag)>(texts, stride, first, count, failed);
  });
}

}  // namespace trellis::column
