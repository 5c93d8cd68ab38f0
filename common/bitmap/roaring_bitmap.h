#pragma once

#include <roaring/roaring.hh>

#include "common/base/bytes.h"

namespace trellis::bitmap {

// Reads one portable RoaringBitmap that fills `bytes` exactly, distrusting every count, key and
// order in it (CRoaring 0.2's own reader checks too little). All values must be below `limit`.
Result<Roaring> ReadRoaring(ByteView bytes, uint32_t limit);

}  // namespace trellis::bitmap
