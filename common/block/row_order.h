#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/block/block.h"

namespace trellis {

// One sort key: a column of the block and its direction. Nulls stand where `nulls_first` says,
// whatever the direction.
struct SortKey {
  size_t column = 0;
  bool ascending = true;
  bool nulls_first = false;
};

// Compares two values of one single-value column as Pinot orders them (types/value.h). Null flags
// count only when `null_handling`.
int CompareRows(const ColumnVector& a, size_t row_a, const ColumnVector& b, size_t row_b);

// Orders rows of one block by its sort keys. Borrows the block.
class RowOrder {
 public:
  RowOrder(const Block& block, std::span<const SortKey> keys, bool null_handling)
      : block_(block), keys_(keys), null_handling_(null_handling) {}
  bool operator()(uint32_t a, uint32_t b) const;

 private:
  const Block& block_;
  std::span<const SortKey> keys_;
  bool null_handling_;
};

// Returns the row numbers of the first `limit` rows of `block` in sort order; equal rows keep their
// order.
std::vector<uint32_t> SortedRows(const Block& block, std::span<const SortKey> keys,
                                 bool null_handling, size_t limit);

// Copies the given rows of every column into a new block.
Block TakeRows(const Block& block, std::span<const uint32_t> rows);

// Appends all rows of `from` to `to`; an empty `to` takes from's column types.
void AppendBlock(Block& to, const Block& from);

}  // namespace trellis
