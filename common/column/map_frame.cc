#include "common/column/map_frame.h"

#include <limits>

#include "common/base/bytes.h"
#include "common/column/json_object.h"
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

// What objects and lists are where they are read as STRING.
enum class NestedText : uint8_t { kJava, kJson };

// The text of a value where it is read as STRING, or as the digits that typed reads parse. A
// view into `value`'s text or into `storage`. nullopt where there is no value.
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

// Reads JSON texts as one type. Read returns false when there is no value, so that the default
// stands.
template <class T>
struct TypedRead {
  DataType type;
  std::string_view key;
  NestedText nested;
  ColumnVector& out;

  Result<bool> Read(std::string_view json, T& to) const {
    const JsonValue value = ClassifyJson(json);
    std::string storage;
    const std::optional<std::string_view> text = ScalarText(value, nested, storage);
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

using FindValue = Result<std::optional<std::string_view>> (*)(std::string_view row,
                                                              std::string_view key);

Result<std::optional<std::string_view>> WholeRow(std::string_view row, std::string_view) {
  return std::optional(row);
}

// How the rows hold a key's value, and what a row without one is.
struct KeyRules {
  FindValue find;
  NestedText nested;
  bool missing_is_null;
};

template <class T>
Status ReadTyped(const ColumnVector& in, std::string_view key, DataType type, const KeyRules& rules,
                 ColumnVector& out, size_t* failed_row) {
  const T missing = DefaultPayload<T>(DefaultNullValue(type, /*is_metric=*/false), out.arena());
  const TypedRead<T> read{type, key, rules.nested, out};
  const RowReader<std::string_view> rows(in);
  std::vector<T>& to = out.values<T>();
  size_t unused = 0;
  size_t& row = failed_row ? *failed_row : unused;
  for (row = 0; row < in.size(); ++row) {
    to[row] = missing;
    if (in.is_null(row)) {
      out.SetNull(row);
      continue;
    }
    TRELLIS_ASSIGN_OR_RETURN(const std::optional<std::string_view> json,
                             rules.find(rows[row], key));
    Result<bool> found = false;
    if (json.has_value()) found = read.Read(*json, to[row]);
    if (!found.ok()) return found.status();
    if (!*found && rules.missing_is_null) out.SetNull(row);
  }
  return {};
}

Status ReadKey(const ColumnVector& in, std::string_view key, DataType type, const KeyRules& rules,
               ColumnVector& out, size_t* failed_row = nullptr) {
  TRELLIS_CHECK(in.physical() == Physical::kBytes && !in.is_multi_value() && &in != &out);
  out.Reset({type, false});
  out.Resize(in.size());
  out.KeepAllOf(in);
  return WithPhysical(PhysicalOf(type), [&](auto tag) {
    return ReadTyped<decltype(tag)>(in, key, type, rules, out, failed_row);
  });
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
  return ReadKey(frames, key, type, {FindMapKey, NestedText::kJava, false}, out);
}

Status ReadMapKeys(const ColumnVector& frames, std::span<const MapKeyRead> reads,
                   size_t* failed_row) {
  for (const MapKeyRead& read : reads) {
    const KeyRules rules = {FindMapKey, NestedText::kJava, false};
    TRELLIS_RETURN_IF_ERROR(ReadKey(frames, read.key, read.type, rules, *read.out, failed_row));
  }
  return {};
}

Status ReadObjectKey(const ColumnVector& objects, std::string_view key, DataType type,
                     ColumnVector& out) {
  return ReadKey(objects, key, type, {FindJsonMember, NestedText::kJson, true}, out);
}

Status ReadJsonTexts(const ColumnVector& texts, std::string_view key, DataType type,
                     ColumnVector& out) {
  return ReadKey(texts, key, type, {WholeRow, NestedText::kJson, true}, out);
}

void MapFrameWriter::Clear() {
  frame_.assign(sizeof(uint32_t), '\0');
  count_ = 0;
}

void MapFrameWriter::AppendText(std::string_view text) {
  uint8_t length[sizeof(uint32_t)];
  StoreBigEndian(static_cast<uint32_t>(text.size()), length);
  frame_.append(reinterpret_cast<const char*>(length), sizeof(length));
  frame_ += text;
}

void MapFrameWriter::Add(std::string_view key, std::string_view json) {
  AppendText(key);
  AppendText(json);
  ++count_;
}

Result<std::string_view> MapFrameWriter::Finish() {
  if (frame_.size() > std::numeric_limits<int32_t>::max()) {
    return Status::ResourceExhausted("a MAP frame of {} bytes, at most {} can be", frame_.size(),
                                     std::numeric_limits<int32_t>::max());
  }
  StoreBigEndian(count_, reinterpret_cast<uint8_t*>(frame_.data()));
  return std::string_view(frame_);
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
  const std::optional<std::string_view> text =
      ScalarText(ClassifyJson(json), NestedText::kJava, storage);
  if (!text.has_value()) return std::nullopt;
  return std::string(*text);
}

}  // namespace trellis::column
