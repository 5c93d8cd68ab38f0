#pragma once

#include <string>
#include <vector>

#include "common/block/block.h"

namespace trellis::broker {

// The rows of an answer. `names`, `types` and `rows.columns` have one entry a column.
struct ResultTable {
  std::vector<std::string> names;
  std::vector<ValueType> types;
  Block rows;
};

}  // namespace trellis::broker
