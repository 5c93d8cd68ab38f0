#pragma once

#include "common/base/bytes.h"

namespace trellis::memory {

// Tells the system that mapped bytes will soon be read front to back, so that it fetches them from
// disk ahead of the reader: at most the first kScanAdviceSizeBytesMax of them, beyond which its own
// read-ahead has caught up. Costs a few system calls when the bytes are in memory already; never
// fails, and may be given bytes that are no mapping of a file. For scans: single reads must not ask
// for what they will not look at.
inline constexpr size_t kScanAdviceSizeBytesMax = size_t{32} << 20;
void AdviseScan(ByteView bytes);

}  // namespace trellis::memory
