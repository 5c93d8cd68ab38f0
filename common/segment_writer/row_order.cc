#include "common/segment_writer/row_order.h"

#include <algorithm>
#include <numeric>

#include "common/types/value_order.h"

namespace trellis::segment_writer {
namespace {

template <class T, class Less>
void SortBy(const std::vector<T>& keys, const Less& less, std::vector<uint32_t>& order) {
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return less(keys[a], keys[b]); });
}

template <class T>
std::vector<T> ReadAll(const ColumnSpill& spill) {
  std::vector<T> all;
  all.reserve(spill.rows());
  ColumnVector batch;
  for (SpillReader reader(spill, {}); reader.Next(batch);)
    all.insert(all.end(), batch.values<T>().begin(), batch.values<T>().end());
  return all;
}

void SortByColumn(const EncodeTask& task, std::vector<uint32_t>& order) {
  if (task.dictionary != nullptr) {
    std::vector<int32_t> ranks = ReadAll<int32_t>(*task.spill);
    for (int32_t& id : ranks)
      id = static_cast<int32_t>(task.dictionary->rank[static_cast<uint32_t>(id)]);
    SortBy(ranks, std::less<>(), order);
    return;
  }
  const DataType type = task.plan->field->type;
  WithPhysical(PhysicalOf(type), [&]<class T>(T) {
    SortBy(
        ReadAll<T>(*task.spill),
        [&](const T& a, const T& b) {
          if constexpr (std::is_same_v<T, std::string_view>)
            return CompareStoredBytes(type, a, b) < 0;
          else
            return CompareNumbers(a, b) < 0;
        },
        order);
  });
}

}  // namespace

std::vector<uint32_t> SortRows(std::span<const EncodeTask> columns) {
  if (columns.empty()) return {};
  std::vector<uint32_t> order(columns.front().spill->rows());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = columns.size(); i-- > 0;) SortByColumn(columns[i], order);
  if (std::is_sorted(order.begin(), order.end())) return {};
  return order;
}

}  // namespace trellis::segment_writer
