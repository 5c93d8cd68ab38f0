#pragma once

#include "common/verify/column_view.h"

namespace trellis::verify {

// All of one column: its metadata, dictionary, forward index by its bytes and by its reader, and
// each index that Trellis reads against the rows. Memory: 4 bytes a value when an index needs them.
void CheckColumn(const ColumnView& view);

}  // namespace trellis::verify
