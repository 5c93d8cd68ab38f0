#include "common/ingest/cell_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/base/nearest_name.h"
#include "common/types/big_decimal.h"
#include "common/types/java_text.h"
#include "common/types/text_order.h"
#include "common/types/timestamp_text.h"

namespace trellis::ingest {
namespace {

constexpr std::string_view kTooLong = "is longer than the schema's maxLength";
constexpr std::string_view kTooDeep = "is nested deeper than 1000 levels";

// As Java's String.trim.
std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// The integer that a decimal is, however it is written: 1e3, 2.0.
std::optional<int64_t> IntegerOf(std::string_view token) {
  const auto decimal = ParseDecimal(token);
  if (!decimal || decimal->scale > 0 || decimal->scale < -19) return std::nullopt;
  return ParseJavaLong((decimal->negative ? "-" : "") + decimal->digits +
                       std::string(static_cast<size_t>(-decimal->scale), '0'));
}

// The part of `text` that has at most `units` UTF-16 units. A pair that is cut in half leaves a '?'
// behind, as Java writes half a pair: `half` says so.
std::string_view FirstUnits(std::string_view text, size_t units, bool& half) {
  half = false;
  if (text.size() <= units) return text;
  size_t seen = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xC0) == 0x80) continue;
    const size_t width = c >= 0xF0 ? 2 : 1;
    if (seen + width > units) {
      half = seen < units;
      return text.substr(0, i);
    }
    seen += width;
  }
  return text;
}

}  // namespace

CellWriter::CellWriter(const FieldSpec& field)
    : field_(&field), no_such_("is no " + std::string(DataTypeName(field.type))) {}

void CellWriter::StartBatch(ColumnVector* vector, size_t rows_expected) {
  vector_ = vector;
  vector_->Reset(field_->value_type());
  WithPhysical(vector_->physical(),
               [&](auto tag) { vector_->values<decltype(tag)>().reserve(rows_expected); });
  rows_ = 0;
  null_rows_.clear();
  StartRow();
}

void CellWriter::FinishBatch() {
  vector_->SetSize(rows_);
  for (const uint32_t row : null_rows_) vector_->SetNull(row);
}

void CellWriter::StartRow() {
  present_ = false;
  if (!field_->multi_value) return;
  WithPhysical(vector_->physical(), [&](auto tag) {
    vector_->values<decltype(tag)>().resize(vector_->offsets().back());
  });
}

void CellWriter::FinishRow() {
  if (!present_) {
    null_rows_.push_back(static_cast<uint32_t>(rows_));
    const Value& value = field_->default_null;
    switch (vector_->physical()) {
      case Physical::kInt32:
        integer_ = value.is_null() ? 0 : value.int32();
        break;
      case Physical::kInt64:
        integer_ = value.is_null() ? 0 : value.int64();
        break;
      case Physical::kFloat:
        floating_ = value.is_null() ? 0 : static_cast<double>(value.float32());
        break;
      case Physical::kDouble:
        floating_ = value.is_null() ? 0 : value.float64();
        break;
      case Physical::kBytes:
        bytes_ = value.is_null() ? std::string_view() : std::string_view(value.bytes());
        break;
    }
  }
  if (!field_->multi_value || !present_) {
    WithPhysical(vector_->physical(), [&](auto tag) {
      using T = decltype(tag);
      auto& values = vector_->values<T>();
      if constexpr (std::is_integral_v<T>) {
        values.push_back(static_cast<T>(integer_));
      } else if constexpr (std::is_floating_point_v<T>) {
        values.push_back(static_cast<T>(floating_));
      } else {
        values.push_back(bytes_);
      }
    });
  }
  if (field_->multi_value)
    vector_->offsets().push_back(static_cast<uint32_t>(vector_->flat_size()));
  ++rows_;
  present_ = false;
}

template <class T>
std::string_view CellWriter::Store(T value) {
  present_ = true;
  if constexpr (std::is_integral_v<T>) {
    integer_ = value;
  } else if constexpr (std::is_floating_point_v<T>) {
    floating_ = static_cast<double>(value);
  } else {
    bytes_ = value;
  }
  if (field_->multi_value) vector_->values<T>().push_back(value);
  return {};
}

std::string_view CellWriter::AddInteger(int64_t value) {
  switch (vector_->physical()) {
    case Physical::kInt64:
      return Store(value);
    case Physical::kInt32:
      if (value < std::numeric_limits<int32_t>::min() ||
          value > std::numeric_limits<int32_t>::max()) {
        return no_such_;
      }
      if (field_->type == DataType::kBoolean && value != 0 && value != 1) return no_such_;
      return Store(static_cast<int32_t>(value));
    case Physical::kFloat:
      return Store(static_cast<float>(value));
    case Physical::kDouble:
      return Store(static_cast<double>(value));
    case Physical::kBytes:
      break;
  }
  return no_such_;
}

// Pinot takes NaN for no value and has no negative zero.
template <class T>
std::string_view CellWriter::AddFloating(T value) {
  if (std::isnan(value)) return {};
  return Store(value == 0 ? T{0} : value);
}

std::string_view CellWriter::AddDecimal(std::string_view text) {
  constexpr size_t kDigitsMax = 10'000;
  const auto decimal = ParseDecimal(text);
  if (!decimal || decimal->digits.size() > kDigitsMax) return no_such_;
  if (decimal->scale < std::numeric_limits<int16_t>::min() ||
      decimal->scale > std::numeric_limits<int16_t>::max()) {
    return "has an exponent that no segment can hold";
  }
  BigDecimal::Integer unscaled(decimal->digits);
  if (decimal->negative) unscaled = -unscaled;
  return AddBytes(BigDecimal(std::move(unscaled), static_cast<int>(decimal->scale)).ToBytes());
}

std::string_view CellWriter::AddBytes(std::string_view bytes) {
  return Store(vector_->arena().Copy(bytes));
}

std::string_view CellWriter::AddCharacters(std::string_view text) {
  const int32_t said = field_->max_length;
  const auto length_max = static_cast<size_t>(said > 0 ? said : 512);
  const bool has_nul = std::memchr(text.data(), 0, text.size()) != nullptr;
  if (text.size() <= length_max && !has_nul) return AddBytes(text);

  bool half = false;
  const std::string_view cut =
      FirstUnits(text.substr(0, has_nul ? text.find('\0') : text.npos), length_max, half);
  if (cut.size() == text.size()) return AddBytes(text);
  LengthExceed exceed = field_->length_exceed;
  if (exceed == LengthExceed::kUnsaid) {
    exceed =
        field_->type == DataType::kString ? LengthExceed::kTrimLength : LengthExceed::kNoAction;
  }
  if (exceed == LengthExceed::kError) {
    return has_nul ? "holds a NUL" : kTooLong;
  }
  if (exceed == LengthExceed::kSubstituteDefaultValue)
    return AddBytes(field_->default_null.bytes());
  if (exceed == LengthExceed::kNoAction && !has_nul) return AddBytes(text);
  if (!half) return AddBytes(cut);
  return AddBytes(std::string(cut) + '?');
}

std::string_view CellWriter::AddJsonText(std::string_view json, const JsonForm& form) {
  scratch_.clear();
  const JsonVerdict verdict = AppendJson(json, form, /*whole=*/false, scratch_);
  if (verdict == JsonVerdict::kTooDeep) return kTooDeep;
  if (verdict == JsonVerdict::kInvalid) {
    // Text that is no JSON becomes a JSON string; nothing stays nothing.
    scratch_.clear();
    if (!json.empty()) AppendQuoted(json, /*escape_supplementary=*/false, scratch_);
  }
  return AddCharacters(scratch_);
}

std::string_view CellWriter::AddMap(std::string_view json) {
  members_.clear();
  const JsonVerdict verdict = ReadJsonObject(json, kJsonOfMapValue, members_);
  if (verdict == JsonVerdict::kTooDeep) return kTooDeep;
  if (verdict == JsonVerdict::kInvalid) return no_such_;
  std::stable_sort(members_.begin(), members_.end(), [](const JsonMember& a, const JsonMember& b) {
    return CompareUtf16(a.key, b.key) < 0;
  });
  frame_.Clear();
  for (size_t i = 0; i < members_.size(); ++i) {
    const bool again = i + 1 < members_.size() && members_[i + 1].key == members_[i].key;
    if (!again) frame_.Add(members_[i].key, members_[i].value);
  }
  const auto frame = frame_.Finish();
  if (!frame.ok()) return "is too large for a segment";
  return AddBytes(*frame);
}

std::string_view CellWriter::AddNumber(std::string_view token, NumberKind kind) {
  if (kind == NumberKind::kNone) return no_such_;
  if (kind == NumberKind::kInteger) {
    int64_t value = 0;
    const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
    const bool fits = read.ec == std::errc();
    if (fits && vector_->physical() != Physical::kBytes) return AddInteger(value);
    if (field_->type == DataType::kString) return AddCharacters(token == "-0" ? "0" : token);
  }
  switch (field_->type) {
    case DataType::kFloat: {
      // Java reads a fraction as double first; a big integer at once.
      if (kind == NumberKind::kInteger) return AddFloating(ParseJavaFloat(token).value_or(0));
      return AddFloating(static_cast<float>(ParseJavaDouble(token).value_or(0)));
    }
    case DataType::kDouble: {
      double value = 0;
      const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
      return AddFloating(read.ec == std::errc() ? value : ParseJavaDouble(token).value_or(0));
    }
    case DataType::kInt:
    case DataType::kLong:
    case DataType::kTimestamp:
    case DataType::kBoolean: {
      const auto value = IntegerOf(token);
      return value ? AddInteger(*value) : std::string_view(no_such_);
    }
    case DataType::kBigDecimal:
      return AddDecimal(token);
    case DataType::kString:
      return AddCharacters(JavaDoubleText(ParseJavaDouble(token).value_or(0)));
    case DataType::kJson:
      return AddJsonText(token, kJsonOfValue);
    default:
      return no_such_;
  }
}

std::string_view CellWriter::AddText(std::string_view text) {
  switch (field_->type) {
    case DataType::kString:
      return AddCharacters(text);
    case DataType::kJson:
      return AddJsonText(text, kJsonOfText);
    case DataType::kMap:
    case DataType::kOpenStruct:
      return AddMap(text);
    default:
      break;
  }
  text = TrimBlanks(text);
  switch (field_->type) {
    case DataType::kInt:
    case DataType::kLong: {
      const auto value = ParseJavaLong(text);
      return value ? AddInteger(*value) : std::string_view(no_such_);
    }
    case DataType::kFloat: {
      const auto value = ParseJavaFloat(text);
      return value ? AddFloating(*value) : std::string_view(no_such_);
    }
    case DataType::kDouble: {
      const auto value = ParseJavaDouble(text);
      return value ? AddFloating(*value) : std::string_view(no_such_);
    }
    case DataType::kBigDecimal:
      return AddDecimal(text);
    case DataType::kBoolean:
      if (text == "1" || EqualsIgnoreCase(text, "true")) return AddInteger(1);
      if (text == "0" || EqualsIgnoreCase(text, "false")) return AddInteger(0);
      return no_such_;
    case DataType::kTimestamp: {
      const auto value = ParseTimestampText(text);
      return value ? AddInteger(*value) : std::string_view(no_such_);
    }
    default:
      break;
  }
  const auto value = ParseValue(text, field_->type);
  if (!value.ok()) return no_such_;
  std::string_view bytes = value->bytes();
  const auto length_max = static_cast<size_t>(field_->max_length > 0 ? field_->max_length : 512);
  if (field_->type == DataType::kBytes && bytes.size() > length_max) {
    if (field_->length_exceed == LengthExceed::kError) return kTooLong;
    if (field_->length_exceed == LengthExceed::kTrimLength) bytes = bytes.substr(0, length_max);
    if (field_->length_exceed == LengthExceed::kSubstituteDefaultValue)
      bytes = field_->default_null.bytes();
  }
  return AddBytes(bytes);
}

std::string_view CellWriter::AddFlag(bool flag) {
  switch (field_->type) {
    case DataType::kBoolean:
      return AddInteger(flag ? 1 : 0);
    case DataType::kString:
    case DataType::kJson:
      return AddBytes(flag ? "true" : "false");
    default:
      return no_such_;
  }
}

std::string_view CellWriter::AddNested(std::string_view json) {
  if (field_->type != DataType::kJson) return IsMapLike(field_->type) ? AddMap(json) : no_such_;
  scratch_.clear();
  switch (AppendJson(json, kJsonOfValue, /*whole=*/true, scratch_)) {
    case JsonVerdict::kOk:
      return AddCharacters(scratch_);
    case JsonVerdict::kTooDeep:
      return kTooDeep;
    case JsonVerdict::kInvalid:
      break;
  }
  return "is no JSON";
}

}  // namespace trellis::ingest
