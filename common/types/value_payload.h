#pragma once

#include <string_view>
#include <type_traits>

#include "common/types/value.h"

namespace trellis {

// The payload in the C++ type of its physical form (vector/column_vector.h). REQUIRES: it has that
// form. Bytes are a view into `value`.
template <class T>
T PayloadAs(const Value& value) {
  if constexpr (std::is_same_v<T, int32_t>) return value.int32();
  if constexpr (std::is_same_v<T, int64_t>) return value.int64();
  if constexpr (std::is_same_v<T, float>) return value.float32();
  if constexpr (std::is_same_v<T, double>) return value.float64();
  if constexpr (std::is_same_v<T, std::string_view>) return value.bytes();
}

}  // namespace trellis
