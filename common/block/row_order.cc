#include "common/block/row_order.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "common/types/value_order.h"

namespace trellis {
namespace {

size_t FlatRow(const ColumnVector& vector, size_t row) { return vector.is_constant() ? 0 : row; }

}  // namespace

int CompareRows(const ColumnVector& a, size_t row_a, const ColumnVector& b, size_t row_b) {
  return WithPhysical(a.physical(), [&](auto tag) -> int {
    using T = decltype(tag);
    const T x = a.values<T>()[FlatRow(a, row_a)];
    const T y = b.values<T>()[FlatRow(b, row_b)];
    if constexpr (std::is_same_v<T, std::string_view>) {
      return CompareStoredBytes(a.type(), x, y);
    } else {
      return CompareNumbers(x, y);
    }
  });
}

bool RowOrder::operator()(uint32_t a, uint32_t b) const {
  for (const SortKey& key : keys_) {
    const ColumnVector& column = block_.columns[key.column];
    if (null_handling_ && column.has_nulls()) {
      const bool null_a = column.is_null(a);
      const bool null_b = column.is_null(b);
      if (null_a != null_b) return null_a == key.nulls_first;
      if (null_a) continue;
    }
    const int order = CompareRows(column, a, column, b);
    if (order != 0) return (order < 0) == key.ascending;
  }
  return false;
}

std::vector<uint32_t> SortedRows(const Block& block, std::span<const SortKey> keys,
                                 bool null_handling, size_t limit) {
  std::vector<uint32_t> rows(block.rows);
  std::iota(rows.begin(), rows.end(), 0);
  const RowOrder less(block, keys, null_handling);
  const auto stable = [&](uint32_t a, uint32_t b) { return less(a, b) || (!less(b, a) && a < b); };
  if (limit < rows.size()) {
    std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(limit), rows.end(),
                      stable);
    rows.resize(limit);
  } else {
    std::stable_sort(rows.begin(), rows.end(), less);
  }
  return rows;
}

Block TakeRows(const Block& block, std::span<const uint32_t> rows) {
  Block taken;
  taken.rows = rows.size();
  for (const ColumnVector& column : block.columns) {
    taken.columns.emplace_back(column.value_type());
    taken.columns.back().AppendRows(column, rows);
  }
  return taken;
}

void AppendBlock(Block& to, const Block& from) {
  if (to.columns.empty()) {
    for (const ColumnVector& column : from.columns) to.columns.emplace_back(column.value_type());
  }
  TRELLIS_CHECK(to.columns.size() == from.columns.size());
  for (size_t i = 0; i < to.columns.size(); ++i) to.columns[i].AppendAll(from.columns[i]);
  to.rows += from.rows;
}

}  // namespace trellis
