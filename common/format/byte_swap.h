#pragma once

#include <algorithm>
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

// Reads the big-endian value at each of the first to.size() of `positions`, in any order; `values`
// starts at position `first`. Positions behind those are wanted soon: they are fetched from memory.
// REQUIRES: `values` holds a value at each of `positions`, and to.size() <= positions.size().
template <class T>
void GatherBigEndianValues(const uint8_t* values, uint32_t first,
                           std::span<const uint32_t> positions, std::span<T> to) {
  constexpr size_t kAhead = 32;  // loads that are under way at a time
  const size_t end = std::min(to.size(), positions.size() - std::min(positions.size(), kAhead));
  size_t i = 0;
  for (; i < end; ++i) {
    __builtin_prefetch(values + size_t{positions[i + kAhead] - first} * sizeof(T));
    to[i] = LoadBigEndian<T>(values + size_t{positions[i] - first} * sizeof(T));
  }
  for (; i < to.size(); ++i) {
    to[i] = LoadBigEndian<T>(values + size_t{positions[i] - first} * sizeof(T));
  }
}

}  // namespace trellis::format
