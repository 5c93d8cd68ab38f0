#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace trellis::format {

// Unsigned numbers in the order of floating ones, as Pinot's range index version 2 stores them
// (`ord` of format notes 7.3): infinities at the ends, NaN with -Infinity, -0.0 with 0.0.
template <class Bits, class T>
Bits OrderedBitsOf(T value) {
  constexpr Bits kTop = Bits{1} << (sizeof(Bits) * 8 - 1);
  if (std::isnan(value)) return 0;
  if (std::isinf(value)) return value > 0 ? static_cast<Bits>(~Bits{0}) : 0;
  const Bits bits = std::bit_cast<Bits>(value);
  if (bits == kTop) return kTop;  // -0.0, as 0.0
  return bits & kTop ? static_cast<Bits>(~bits) : static_cast<Bits>(bits ^ kTop);
}
inline uint32_t OrderedBits(float value) { return OrderedBitsOf<uint32_t>(value); }
inline uint64_t OrderedBits(double value) { return OrderedBitsOf<uint64_t>(value); }

}  // namespace trellis::format
