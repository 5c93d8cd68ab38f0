#include "common/column/map_frame.h"

#include <algorithm>
#include <array>
#include <limits>

#include "common/column/json_object.h"
#include "common/column/json_read.h"
#include "common/column/json_value.h"
#include "common/column/map_keys.h"
#include "common/column/map_walk.h"

namespace trellis::column {
namespace {

// How many texts are found before they are read: they and what they point at shall still lie in
// the caches then.
constexpr size_t kTextsMax = 1024;
constexpr size_t kTextRowsMax = 256;

// Gives `out` a row for each of `in`, nulls carried over.
void Prepare(const ColumnVector& in, DataType type, ColumnVector& out) {
  TRELLIS_CHECK(in.physical() == Physical::kBytes && !in.is_multi_value() && &in != &out);
  out.ResetForOverwrite(type, in.size());
  out.KeepAllOf(in);
  if (!in.has_nulls() || in.size() == 0) return;
  std::vector<uint8_t>& nulls = out.mutable_nulls();
  for (size_t row = 0; row < in.size(); ++row) nulls[row] = in.is_null(row);
}

// The flat values of a vector: a constant has one that stands for all its rows.
size_t FlatRows(const ColumnVector& in) {
  return in.is_constant() ? std::min<size_t>(in.size(), 1) : in.size();
}
// Gives the value of the first row to all of them where `in` is a constant.
void SpreadConstant(const ColumnVector& in, ColumnVector& out) {
  if (!in.is_constant() || in.size() == 0) return;
  WithPhysical(out.physical(), [&](auto tag) {
    auto& values = out.values<decltype(tag)>();
    std::fill(values.begin() + 1, values.end(), values.front());
  });
}

// Where keys are found, and what their values are read as: MAP frames.
struct InFrames {
  static constexpr NestedText kNested = NestedText::kJava;
  static constexpr bool kMissingIsNull = false;

  explicit InFrames(std::span<const std::string_view> keys) : keys_(keys) {}
  Status Find(std::span<const std::string_view> rows, const uint8_t* nulls,
              std::string_view* values, size_t& failed_row) const {
    return keys_.Find(rows, nulls, values, failed_row);
  }

 private:
  MapKeySet keys_;
};
// JSON objects.
struct InObjects {
  static constexpr NestedText kNested = NestedText::kJson;
  static constexpr bool kMissingIsNull = true;

  explicit InObjects(std::span<const std::string_view> keys) : keys_(keys) {}
  Status Find(std::span<const std::string_view> rows, const uint8_t* nulls,
              std::string_view* values, size_t& failed_row) const {
    return FindJsonMembers(rows, nulls, keys_, values, failed_row);
  }

 private:
  std::span<const std::string_view> keys_;
};

// The reads that one walk of each row serves.
template <class Rows>
class KeyGroup {
 public:
  // Takes as many from the front of `reads` as one walk can.
  explicit KeyGroup(std::span<const MapKeyRead>& reads) {
    size_t taken = 0;
    for (; taken < reads.size() && taken < kReadsMax; ++taken) {
      const auto end = keys_.begin() + key_count_;
      const auto known = std::find(keys_.begin(), end, reads[taken].key);
      key_of_[taken] = static_cast<uint8_t>(known - keys_.begin());
      if (known == end) keys_[key_count_++] = reads[taken].key;
    }
    reads_ = reads.first(taken);
    reads = reads.subspan(taken);
  }

  // Errors: as ReadMapKeys.
  Status Read(const ColumnVector& in, size_t& failed_row) const {
    const Rows keys({keys_.data(), key_count_});
    const std::span<const std::string_view> values(in.values<std::string_view>());
    const uint8_t* nulls = in.has_nulls() ? in.nulls().data() : nullptr;
    const size_t rows_max = std::min(kTextRowsMax, kTextsMax / key_count_);
    std::array<std::string_view, kTextsMax> texts;
    size_t rows = 0;
    for (size_t first = 0; first < FlatRows(in); first += rows) {
      rows = std::min(rows_max, FlatRows(in) - first);
      Status status = keys.Find(values.subspan(first, rows), nulls ? nulls + first : nullptr,
                                texts.data(), failed_row);
      for (size_t i = 0; i < reads_.size() && status.ok(); ++i) {
        JsonTextReader reader(reads_[i].key, Rows::kNested, Rows::kMissingIsNull, *reads_[i].out);
        status = reader.Read(texts.data() + key_of_[i], key_count_, first, rows, failed_row);
      }
      if (!status.ok()) {
        failed_row += first;
        return status;
      }
    }
    return {};
  }

 private:
  static constexpr size_t kReadsMax = MapKeySet::kKeysMax;
  std::span<const MapKeyRead> reads_;
  size_t key_count_ = 0;
  std::array<std::string_view, kReadsMax> keys_;  // different ones
  std::array<uint8_t, kReadsMax> key_of_;         // a read's place in `keys_`
};

template <class Rows>
Status ReadKeys(const ColumnVector& in, std::span<const MapKeyRead> reads, size_t* failed_row) {
  for (const MapKeyRead& read : reads) Prepare(in, read.type, *read.out);
  size_t unused = 0;
  for (std::span<const MapKeyRead> left = reads; !left.empty();) {
    const KeyGroup<Rows> group(left);
    TRELLIS_RETURN_IF_ERROR(group.Read(in, failed_row ? *failed_row : unused));
  }
  for (const MapKeyRead& read : reads) SpreadConstant(in, *read.out);
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
  MapEntry entry;
  for (uint32_t i = 0; i < count; ++i) {
    if (!walk.Next(entry)) return DamagedFrame(frame, walk.position());
    if (entry.key == key) return std::optional(entry.value);
  }
  return std::optional<std::string_view>();
}

Status ReadMapKey(const ColumnVector& frames, std::string_view key, DataType type,
                  ColumnVector& out) {
  const MapKeyRead read = {key, type, &out};
  return ReadMapKeys(frames, {&read, 1});
}

Status ReadMapKeys(const ColumnVector& frames, std::span<const MapKeyRead> reads,
                   size_t* failed_row) {
  return ReadKeys<InFrames>(frames, reads, failed_row);
}

Status ReadObjectKeys(const ColumnVector& objects, std::span<const MapKeyRead> reads,
                      size_t* failed_row) {
  return ReadKeys<InObjects>(objects, reads, failed_row);
}

Status ReadJsonTexts(const ColumnVector& texts, const MapKeyRead& read, size_t* failed_row) {
  Prepare(texts, read.type, *read.out);
  JsonTextReader reader(read.key, NestedText::kJson, /*missing_is_null=*/true, *read.out);
  for (size_t row = 0; row < FlatRows(texts); ++row) {
    const std::string_view text =
        texts.is_null(row) ? std::string_view() : texts.values<std::string_view>()[row];
    size_t failed = 0;
    const Status status = reader.Read(&text, 1, row, 1, failed);
    if (status.ok()) continue;
    if (failed_row) *failed_row = row;
    return status;
  }
  SpreadConstant(texts, *read.out);
  return {};
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
  MapEntry entry;
  for (uint32_t i = 0; i < count; ++i) {
    if (!walk.Next(entry)) return DamagedFrame(frame, walk.position());
    if (i > 0) json += ',';
    AppendKey(entry.key, json);
    // A text that is no JSON would break the whole answer; Pinot does not tell it from null either.
    json += IsValidJson(entry.value) ? entry.value : "null";
  }
  if (!walk.at_end()) return DamagedFrame(frame, walk.position());
  json += '}';
  return json;
}

}  // namespace trellis::column
