#pragma once

#include "common/base/bytes.h"
#include "common/format/row_payload.h"
#include "common/types/data_type.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// What the rows of a raw column of variable length are (format notes 5.5), and what a walk over
// them has seen.
struct RowShape {
  DataType type = DataType::kUnknown;
  bool multi_value = false;
  format::RowCount count = format::RowCount::kStored;  // of fixed-width multi-value rows
};
struct RowFacts {
  uint64_t value_count = 0;
  uint64_t longest_row = 0;          // values
  uint64_t largest_chunk_bytes = 0;  // inflated; 0 when none is compressed
};

// The bytes of row `doc`, which lie in a chunk at `offset` of the index. Counts and lengths fill
// the row exactly; values are as text_check.h and MAP frames as format notes 6.2 have them.
void CheckRowPayload(ByteView row, const RowShape& shape, uint64_t doc, uint64_t offset,
                     RowFacts& facts, FaultLog& log);

}  // namespace trellis::verify
