#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/segment_writer/column_encoder.h"

namespace trellis::segment_writer {

// Sorts rows by columns, the first of them foremost; rows that are equal there stay as they came.
// Returns for each document the row that came, or nothing where that changes nothing. `columns` are
// single-valued tasks without an order; nulls sort as the values under them. Cost: 4 bytes a row,
// and a column's keys (4 bytes a row of a dictionary column, its values or views of them of a raw
// one) at a time.
std::vector<uint32_t> SortRows(std::span<const EncodeTask> columns);

}  // namespace trellis::segment_writer
