#pragma once

#include <span>

#include "common/segment/segment.h"
#include "common/types/virtual_column.h"

namespace trellis::server {

// Fills `out` with the values of a virtual column for `docs` of `segment`. Where the segment does
// not tell (no time range, no creation.meta) every row is null over the type's default.
void FillVirtualColumn(const segment::Segment& segment, const VirtualColumn& column,
                       std::span<const uint32_t> docs, ColumnVector& out);

// Whether the column is null in every document of `segment`.
bool IsVirtualNull(const segment::Segment& segment, const VirtualColumn& column);

}  // namespace trellis::server
