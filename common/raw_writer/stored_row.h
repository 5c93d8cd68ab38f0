#pragma once

#include <vector>

#include "common/base/bytes.h"
#include "common/vector/column_vector.h"

namespace trellis::raw_writer {

// Rows as the containers of rows store them (format notes 5.5): single values of variable width as
// they are, multi-value rows as a count, lengths and values, big-endian.

// Length of the row `row` of `values`. Multi-value rows of fixed width begin with their count only
// where `rows_carry_count`. REQUIRES: single values are of variable width.
uint64_t StoredRowBytes(const ColumnVector& values, size_t row, bool rows_carry_count);

// The bytes of that row: a view into `values`, or into `scratch`, which is overwritten.
// REQUIRES: as above, and the row has less than 2^31 bytes.
ByteView StoredRow(const ColumnVector& values, size_t row, bool rows_carry_count,
                   std::vector<uint8_t>& scratch);

}  // namespace trellis::raw_writer
