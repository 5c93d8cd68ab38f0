#pragma once

#include <cstddef>
#include <vector>

#include "common/vector/column_vector.h"

namespace trellis {

// A batch of rows in columns, in flight between operators, servers and the broker. Every column has
// `rows` rows. Movable; not thread-safe for writing.
struct Block {
  size_t rows = 0;
  std::vector<ColumnVector> columns;
};

}  // namespace trellis
