#include "common/column/map_frame.h"

#include "common/base/bytes.h"
#include "common/column/json_value.h"
#include "common/types/big_decimal.h"
#include "common/types/java_text.h"

// A frame, big-endian (format notes 6.2):
//
//   i32 n, then n entries: i32 key length | key | i32 value length | value (one JSON text)

namespace trellis::column {
namespace {

struct Entry {
  std::string_view key;
  std::string_view value;
};

Status Damaged(std::string_view frame, size_t at) {
  return Status::Corrupt("MAP frame of {} bytes is damaged at {}", frame.size(), at);
}

// Walks the entries of a frame. Lengths are unsigned here, so that a negative one is past every
// end.
class FrameWalk {
 public:
  explicit FrameWalk(std::string_view frame) : frame_(frame) {}

  Result<uint32_t> Count() {
    uint32_t count = 0;
    if (!TakeLength(count) || count > INT32_MAX) return Damaged(frame_, 0);
    return count;
  }
  // Takes one entry; false when the frame does not hold it whole.
  bool Next(Entry& entry) { return TakeText(entry.key) && TakeText(entry.value); }
  size_t position() const { return at_; }
  bool at_end() const { return at_ == frame_.size(); }

 private:
  bool TakeLength(uint32_t& length) {
    if (frame_.size() - at_ < 4) return false;
    length = LoadBigEndian<uint32_t>(reinterpret_cast<const uint8_t*>(frame_.data()) + at_);
    at_ += 4;
    return true;
  }
  bool TakeText(std::string_view& text) {
    uint32_t length = 0;
    if (!TakeLength(length) || length > frame_.size() - at_) return false;
    text = {frame_.data() + at_, length};
    at_ += length;
    return true;
  }

  std::string_view frame_;
  size_t at_ = 0;
};

// The text of a scalar value where it is read as STRING, or as the digits that typed reads parse. A
// view into `value`'s text or into `storage`. nullopt where there is no value.
std::optional<std::string_view> ScalarText(const JsonValue& value, std::string& storage) {
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
    case JsonKind::kEscaped:
    case JsonKind::kNested: {
      auto text =
          value.kind == JsonKind::kEscaped ? UnescapeJson(value.text) : NestedJsonText(value.text);
      if (!text.has_value()) return std::nullopt;
      storage = std::move(*text);
      return storage;
    }
  }
  return std::nullopt;
}

// Reads JSON texts as one type. Read returns false when there is no value, so that the default
// stands.
template <class T>
struct TypedRead {
  DataType type;
  std::string_view key;
  ColumnVector& out;

  Result<bool> Read(std::string_view json, T& to) const {
    const JsonValue value = ClassifyJson(json);
    std::string storage;
    const std::optional<std::string_view> text = ScalarText(value, storage);
    if (!text.has_value()) return false;
    if constexpr (std::is_same_v<T, std::string_view>) {
      return ReadBytes(*text, !storage.empty(), to);
    } else {
      return ReadNumber(value.kind, *text, to);
    }
  }

 private:
  Result<bool> ReadNumber(JsonKind kind, std::string_view text,
                          T& to) const requires std::is_arithmetic_v<T> {
    if (type == DataType::kBoolean && (kind == JsonKind::kTrue || kind == JsonKind::kFalse)) {
      to = static_cast<T>(kind == JsonKind::kTrue);
      return true;
    }
    const std::optional<T> parsed = Parse(text);
    if (!parsed.has_value()) return Unreadable(text);
    to = *parsed;
    return true;
  }

  std::optional<T> Parse(std::string_view text) const {
    if constexpr (std::is_same_v<T, int32_t>) return ParseJavaInt(text);
    if constexpr (std::is_same_v<T, int64_t>) return ParseJavaLong(text);
    if constexpr (std::is_same_v<T, float>) return ParseJavaFloat(text);
    if constexpr (std::is_same_v<T, double>) return ParseJavaDouble(text);
    return std::nullopt;
  }

  Result<bool> ReadBytes(std::string_view text, bool temporary, std::string_view& to) const {
    if (IsText(type)) {
      to = temporary ? out.arena().Copy(text) : text;
      return true;
    }
    if (type != DataType::kBigDecimal) return Unreadable(text);
    const Result<BigDecimal> decimal = BigDecimal::FromText(text);
    if (!decimal.ok()) return Unreadable(text);
    to = out.arena().Copy(decimal->ToBytes());
    return true;
  }

  Status Unreadable(std::string_view text) const {
    return Status::Query(PinotCode::kQueryExecution,
                         "value '{}' of map key '{}' cannot be read as {}", text.substr(0, 64), key,
                         DataTypeName(type));
  }
};

template <class T>
T DefaultPayload(const Value& value, Arena& arena) {
  if constexpr (std::is_same_v<T, int32_t>) return value.int32();
  if constexpr (std::is_same_v<T, int64_t>) return value.int64();
  if constexpr (std::is_same_v<T, float>) return value.float32();
  if constexpr (std::is_same_v<T, double>) return value.float64();
  if constexpr (std::is_same_v<T, std::string_view>) return arena.Copy(value.bytes());
}

template <class T>
Status ReadTyped(const ColumnVector& frames, std::string_view key, DataType type,
                 ColumnVector& out) {
  const T missing = DefaultPayload<T>(DefaultNullValue(type, /*is_metric=*/false), out.arena());
  const TypedRead<T> read{type, key, out};
  const RowReader<std::string_view> rows(frames);
  std::vector<T>& to = out.values<T>();
  for (size_t row = 0; row < frames.size(); ++row) {
    to[row] = missing;
    if (frames.is_null(row)) {
      out.SetNull(row);
      continue;
    }
    TRELLIS_ASSIGN_OR_RETURN(const std::optional<std::string_view> json,
                             FindMapKey(rows[row], key));
    if (!json.has_value()) continue;
    const Result<bool> found = read.Read(*json, to[row]);
    if (!found.ok()) return found.status();
  }
  return {};
}

void AppendKey(std::string_view key, std::string& json) {
  json += '"';
  for (const char c : key) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  json += "\":";
}

}  // namespace

Result<std::optional<std::string_view>> FindMapKey(std::string_view frame, std::string_view key) {
  FrameWalk walk(frame);
  TRELLIS_ASSIGN_OR_RETURN(const uint32_t count, walk.Count());
  Entry entry;
  for (uint32_t i = 0; i < count; ++i) {
    if (!walk.Next(entry)) return Damaged(frame, walk.position());
    if (entry.key == key) return std::optional(entry.value);
  }
  return std::optional<std::string_view>();
}

Status ReadMapKey(const ColumnVector& frames, std::string_view key, DataType type,
                  ColumnVector& out) {
  TRELLIS_CHECK(frames.physical() == Physical::kBytes && !frames.is_multi_value() &&
                &frames != &out);
  out.Reset({type, false});
  out.Resize(frames.size());
  out.KeepAllOf(frames);
  return WithPhysical(PhysicalOf(type),
                      [&](auto tag) { return ReadTyped<decltype(tag)>(frames, key, type, out); });
}

Result<std::string> MapFrameToJson(std::string_view frame) {
  FrameWalk walk(frame);
  TRELLIS_ASSIGN_OR_RETURN(const uint32_t count, walk.Count());
  std::string json = "{";
  Entry entry;
  for (uint32_t i = 0; i < count; ++i) {
    if (!walk.Next(entry)) return Damaged(frame, walk.position());
    if (i > 0) json += ',';
    AppendKey(entry.key, json);
    // A text that is no JSON would break the whole answer; Pinot does not tell it from null either.
    json += IsValidJson(entry.value) ? entry.value : "null";
  }
  if (!walk.at_end()) return Damaged(frame, walk.position());
  json += '}';
  return json;
}

std::optional<std::string> MapValueText(std::string_view json) {
  std::string storage;
  const std::optional<std::string_view> text = ScalarText(ClassifyJson(json), storage);
  if (!text.has_value()) return std::nullopt;
  return std::string(*text);
}

}  // namespace trellis::column
