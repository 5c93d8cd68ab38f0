#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::column {

// A row of a MAP column, walked in place (format notes section 6.2).
// Returns the JSON text of `key`'s value, a view into `frame`, or nullopt when the row has no such
// key. Keys are compared by length first; the first match stops. Errors: Corrupt.
Result<std::optional<std::string_view>> FindMapKey(std::string_view frame, std::string_view key);

// Reads `key` of every frame of `frames` (a MAP vector) into `out`, typed `type` (the MAP's
// declared value type): format notes 6.4. Missing, JSON null and invalid values give the type's
// default for dimensions
// ("null", -2^31, ...); nulls of `frames` carry over. Errors: Corrupt; Query(200) for values that
// cannot be read as `type`.
Status ReadMapKey(const ColumnVector& frames, std::string_view key, DataType type,
                  ColumnVector& out);

// One key to be read: from where it is said by the call, as `type`, into `out`.
struct MapKeyRead {
  std::string_view key;
  DataType type = DataType::kString;
  ColumnVector* out = nullptr;
};

// ReadMapKey for several keys in one walk of each frame; keys may repeat, the vectors may not.
// A frame is walked until the last of the keys is found. `failed_row`, where it is given, receives
// the row that an error is about, so that the caller can name the document. Errors: as there.
Status ReadMapKeys(const ColumnVector& frames, std::span<const MapKeyRead> reads,
                   size_t* failed_row = nullptr);

// ReadMapKeys from rows of `objects` that each are a JSON object or empty (what an OPEN_STRUCT
// keeps of its sparse keys), but for two things: a row without a value is null over the default,
// because an OPEN_STRUCT knows which rows have a key, and objects and lists are read as STRING in
// their JSON text. Errors: as there.
Status ReadObjectKeys(const ColumnVector& objects, std::span<const MapKeyRead> reads,
                      size_t* failed_row = nullptr);
// The same of one key, over rows that each are the JSON text of its value; null where a row has
// none.
Status ReadJsonTexts(const ColumnVector& texts, const MapKeyRead& read,
                     size_t* failed_row = nullptr);

// Builds frames one entry at a time, in one buffer for all of them.
class MapFrameWriter {
 public:
  MapFrameWriter() { Clear(); }
  void Clear();
  // `json` is one JSON text. Keys of a frame are unique: the caller sees to it.
  void Add(std::string_view key, std::string_view json);
  // The frame since Clear, valid until the next call. Errors: ResourceExhausted past 2 GiB, which
  // no frame can hold.
  Result<std::string_view> Finish();

 private:
  void AppendText(std::string_view text);
  std::string frame_;
  uint32_t count_ = 0;
};

// `{"k":<value bytes verbatim>,...}` in frame order. Errors: Corrupt.
Result<std::string> MapFrameToJson(std::string_view frame);
}  // namespace trellis::column
