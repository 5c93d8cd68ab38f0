#pragma once

#include "common/base/bytes.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// A JSON index (format notes 7.5): three parts that tile it, keys in UTF-16 order, a bitmap of
// flattened documents for each, and the document of each flattened one, which do not descend.
void CheckJsonIndex(ByteView bytes, uint32_t document_count, FaultLog& log);

}  // namespace trellis::verify
