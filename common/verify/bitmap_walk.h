#pragma once

#include <functional>

#include "common/bitmap/roaring_bitmap.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// `count` bitmaps behind `count + 1` u32 BE offsets (format notes 7.2), which must tile `bytes`:
// from the buffer's start, or from the table's end, as the first tells. `start` is where the table
// lies in `bytes`; only 0 allows the second. `each(i, offset, bitmap)` for every bitmap that is
// whole and whose values are below `limit`. Returns whether there was no fault.
bool WalkBitmaps(ByteView bytes, uint64_t start, uint64_t count, uint32_t limit, FaultLog& log,
                 const std::function<void(uint32_t, uint64_t, const Roaring&)>& each);

}  // namespace trellis::verify
