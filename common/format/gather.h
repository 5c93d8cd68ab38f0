#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.h"

namespace trellis::format {

// Values far apart, at a list of positions: as fast as their cache lines arrive. Lists are hostile:
// each position is checked before its value is loaded, in the same pass.

// Values of `width` bits, most significant bit first, back to back in `bytes`, to the last byte.
struct PackedValues {
  ByteView bytes;
  uint64_t count = 0;
  uint64_t width = 1;
};

// Writes the values at the first to.size() of `positions`; returns the highest, 0 when there are
// none, and nothing when these positions are not strictly ascending below values.count. Positions
// behind them are wanted soon: their values are fetched from memory, whatever they are. Uses the
// best instructions that the processor has; never loads a byte outside the values.
// REQUIRES: width in 1..32, `bytes` holds `count` values, to.size() <= positions.size().
std::optional<uint32_t> GatherAscendingBits(const PackedValues& values,
                                            std::span<const uint32_t> positions,
                                            std::span<uint32_t> to);

// The same for all of `positions` and big-endian values of 8 bytes; returns whether the positions
// are as they should be. REQUIRES: `to` has room for as many.
bool GatherAscendingWords8(ByteView values, std::span<const uint32_t> positions, uint64_t* to);

// The same for values of 4 or 8 bytes of any type.
template <class T>
bool GatherAscendingBigEndian(ByteView values, std::span<const uint32_t> positions, T* to) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 8) {
    return GatherAscendingWords8(values, positions, reinterpret_cast<uint64_t*>(to));
  } else {
    return GatherAscendingBits({values, values.size() / 4, 32}, positions,
                               {reinterpret_cast<uint32_t*>(to), positions.size()})
        .has_value();
  }
}

}  // namespace trellis::format
