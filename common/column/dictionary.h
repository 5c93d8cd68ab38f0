#pragma once

#include <memory>
#include <optional>
#include <span>

#include "common/base/bytes.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::column {

// A segment's sorted distinct values of one column; dictId = position (format notes section 3).
// Immutable, safe for many threads. Views into the segment's mapping: the caller keeps the segment
// pinned.
class Dictionary {
 public:
  virtual ~Dictionary() = default;
  virtual size_t size() const = 0;
  virtual DataType type() const = 0;

  // Writes the values of `dict_ids` as the flat values of `out` (Reset to type() here; rows =
  // dict_ids.size()). Strings are views into the mapping. Errors: Corrupt when an id is not below
  // size().
  virtual Status Gather(std::span<const uint32_t> dict_ids, ColumnVector& out) const = 0;
  // The value of one id. Errors: Corrupt as above.
  virtual Result<Value> At(uint32_t dict_id) const = 0;
  // The first id whose value is not below `value` (size() if none). REQUIRES: value.type() ==
  // type().
  virtual uint32_t LowerBound(const Value& value) const = 0;
  // The id of `value`, if present.
  virtual std::optional<uint32_t> Find(const Value& value) const = 0;
};

// With what short texts fill their slots.
enum class DictionaryPadding : uint8_t {
  kNul,
  // Segments from before August 2016, whose metadata says `segment.padding.character = %` or has no
  // such key. Pinot itself no longer looks at the key and answers `lynda%%%%`; so does kNul. A
  // segment is read this way only on somebody's explicit wish, since a text that really ends in '%'
  // loses it. Ids are in the order of the filled-up texts: "a b" before "a".
  kPercent,
};

// Opens the dictionary of a column. `payload` is the index buffer without marker; `width` = bytes
// of each padded entry (metadata). Checks sizes and offsets; not the order (that is `segment
// verify`).
Result<std::unique_ptr<Dictionary>> OpenDictionary(
    ByteView payload, DataType type, uint32_t cardinality, uint32_t width,
    DictionaryPadding padding = DictionaryPadding::kNul);

}  // namespace trellis::column
