#pragma once

#include <fmt/format.h>

#include <string_view>

#include "common/base/status.h"
#include "common/segment/json_text.h"
#include "common/vector/column_vector.h"

namespace trellis::segment {

// Appends one cell of a column as JSON, whatever lies under a null: a value, or a list of them.
// `append_bytes(type, bytes, out) -> Status` says how values without a fixed width are written.
// Errors: its own.
template <class F>
Status AppendJsonCell(const ColumnVector& vector, size_t row, const F& append_bytes,
                      fmt::memory_buffer& out) {
  const DataType type = vector.type();
  return WithPhysical(vector.physical(), [&](auto tag) -> Status {
    using T = decltype(tag);
    const auto append = [&](const T& value) -> Status {
      if constexpr (std::is_same_v<T, std::string_view>) {
        return append_bytes(type, value, out);
      } else {
        AppendJsonFixed(type, value, out);
        return {};
      }
    };
    const std::vector<T>& flat = vector.values<T>();
    if (!vector.is_multi_value()) return append(flat[row]);
    out.push_back('[');
    for (uint32_t i = vector.offsets()[row]; i < vector.offsets()[row + 1]; ++i) {
      if (i != vector.offsets()[row]) out.push_back(',');
      TRELLIS_RETURN_IF_ERROR(append(flat[i]));
    }
    out.push_back(']');
    return {};
  });
}

}  // namespace trellis::segment
