#pragma once

#include "common/bitmap/roaring_bitmap.h"

namespace trellis::index {

// The documents in which a column is NULL (pinot-segment-format.md 7.1): one portable bitmap.
// Errors: Corrupt, also for a document past the segment's end.
inline Result<Roaring> ReadNullVector(ByteView bytes, uint32_t document_count) {
  return bitmap::ReadRoaring(bytes, document_count);
}

}  // namespace trellis::index
