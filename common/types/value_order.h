#pragma once

#include <cmath>
#include <string_view>
#include <type_traits>

#include "common/types/data_type.h"

namespace trellis {

// Orders two stored values of a physical form whose C++ type is a number: by value, floating ones
// as Java's Double.compare does (-0.0 below 0.0, NaN equal to itself and above everything). Returns
// <0, 0 or >0.
template <class T>
int CompareNumbers(T a, T b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if constexpr (std::is_floating_point_v<T>) {
    const auto rank = [](T v) { return std::isnan(v) ? 2 : std::signbit(v) ? 0 : 1; };
    if (a != b || a == 0) return CompareNumbers(rank(a), rank(b));
  }
  return 0;
}

// Orders two stored values of `type`, whose physical form is bytes: text in UTF-16 code units,
// BIG_DECIMAL by value (bytes that are none compare as bytes), others as unsigned bytes, a shorter
// prefix first. Returns <0, 0 or >0.
int CompareStoredBytes(DataType type, std::string_view a, std::string_view b);

}  // namespace trellis
