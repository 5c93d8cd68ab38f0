#pragma once

#include <optional>

#include "common/base/bytes.h"
#include "common/segment/segment_metadata.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// What the metadata say of a dictionary.
struct DictionaryShape {
  DataType type = DataType::kUnknown;
  uint32_t cardinality = 0;
  uint32_t width = 0;        // of a padded entry
  std::string_view padding;  // `segment.padding.character`
};

// A column's dictionary (format notes section 3): its size, the offsets of `.vl;`, entries strictly
// ascending in the type's order, nothing but padding behind a padded value. Numbers that are equal
// with other scales (BIG_DECIMAL) are a note. Returns whether there was no fault.
bool CheckDictionary(ByteView bytes, const DictionaryShape& shape, FaultLog& log);

// Whether bytes are a `.vl;` dictionary.
bool IsOffsetDictionary(ByteView bytes);

// A `.vl;` dictionary inside another index: `cardinality` is checked where it is known, the order
// where `sorted`. Returns the number of entries, nullopt after a fault.
std::optional<uint32_t> CheckOffsetDictionary(ByteView bytes, DataType type,
                                              std::optional<uint32_t> cardinality, bool sorted,
                                              FaultLog& log);

}  // namespace trellis::verify
