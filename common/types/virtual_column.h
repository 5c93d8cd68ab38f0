#pragma once

#include <span>
#include <string_view>

#include "common/types/data_type.h"

namespace trellis {

// A column that every table has and no segment stores: its values are computed from the segment
// (pinot-sql.md 1.4). `SELECT *` leaves these out. Names that merely begin with '$' may be stored
// columns: `$ts$DAY` of a timestamp index is one.
struct VirtualColumn {
  std::string_view name;
  ValueType type;
};

std::span<const VirtualColumn> VirtualColumns();
// The virtual column of exactly that name; null when there is none.
const VirtualColumn* FindVirtualColumn(std::string_view name);

}  // namespace trellis
