#pragma once

#include <cstdint>
#include <span>

#include "common/base/bytes.h"

namespace trellis::format {

// Turns `count` big-endian words at `from`, which needs no alignment, into native ones at `to`.
// Uses the best instructions that the processor has. REQUIRES: the ranges do not overlap.
void SwapWords4(const uint8_t* from, size_t count, void* to);
void SwapWords8(const uint8_t* from, size_t count, void* to);

// Reads to.size() consecutive big-endian values of 4 or 8 bytes.
// REQUIRES: `from` holds at least as many.
template <class T>
void LoadBigEndianValues(const uint8_t* from, std::span<T> to) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  sizeof(T) == 4 ? SwapWords4(from, to.size(), to.data()) : SwapWords8(from, to.size(), to.data());
}

// Reads the big-endian value at each of `positions`, in any order; `values` starts at position
// `first`. REQUIRES: `values` holds a value at each of them, `to` has room for as many.
template <class T>
void GatherBigEndianValues(const uint8_t* values, uint32_t first,
                           std::span<const uint32_t> positions, T* to) {
  for (size_t i = 0; i < positions.size(); ++i) {
    to[i] = LoadBigEndian<T>(values + size_t{positions[i] - first} * sizeof(T));
  }
}

}  // namespace trellis::format
