#include "common/vector/batch_size.h"

namespace trellis {

uint64_t ValueBytes(const ColumnVector& vector) {
  return WithPhysical(vector.physical(), [&](auto tag) -> uint64_t {
    using T = decltype(tag);
    const auto& flat = vector.values<T>();
    uint64_t bytes = flat.size() * sizeof(T) + vector.offsets().size() * sizeof(uint32_t);
    if constexpr (std::is_same_v<T, std::string_view>) {
      for (const std::string_view value : flat) bytes += value.size();
    }
    return bytes;
  });
}

void BatchSize::Took(uint32_t rows, uint64_t bytes) {
  constexpr uint64_t kGrowth = 8;
  const uint64_t row_bytes = std::max<uint64_t>(bytes / rows, 1);
  const uint64_t most =
      std::min<uint64_t>(rows_max_, std::max<uint64_t>(rows_, uint64_t{rows} * kGrowth));
  rows_ = static_cast<uint32_t>(std::clamp<uint64_t>(kTargetBytes / row_bytes, 1, most));
}

bool BatchSize::Halve(uint32_t rows) {
  if (rows <= 1) return false;
  rows_ = rows / 2;
  return true;
}

}  // namespace trellis
