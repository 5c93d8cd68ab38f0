#pragma once

#include <cstdint>
#include <cstring>

#include "common/base/bytes.h"

// Blocks of values of `width` bits each, 0 to 64, lowest bits first.
namespace trellis::segment_names {

inline constexpr size_t kBlockRows = 128;

constexpr size_t PackedBytes(size_t count, size_t width) { return (count * width + 7) / 8; }

// REQUIRES: values fit `width` bits; room for PackedBytes rounded up to a multiple of 8 at `to`.
inline void PackBits(const uint64_t* values, size_t count, size_t width, char* to) {
  if (width == 0) return;
  uint64_t bits = 0;
  size_t filled = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t value = values[i];
    bits |= value << filled;
    filled += width;
    if (filled < 64) continue;
    std::memcpy(to, &bits, 8);
    to += 8;
    filled -= 64;
    bits = filled == 0 ? 0 : value >> (width - filled);
  }
  if (filled > 0) std::memcpy(to, &bits, 8);
}

// REQUIRES: width <= 64; PackedBytes and 8 more readable at `from`.
inline void UnpackBits(const uint8_t* from, size_t count, size_t width, uint64_t* values) {
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  size_t bit = 0;
  if (width <= 57) {
    for (size_t i = 0; i < count; ++i, bit += width) {
      values[i] = LoadLittleEndian<uint64_t>(from + bit / 8) >> bit % 8 & mask;
    }
    return;
  }
  for (size_t i = 0; i < count; ++i, bit += width) {
    uint64_t value = LoadLittleEndian<uint64_t>(from + bit / 8) >> bit % 8;
    if (bit % 8 != 0) value |= uint64_t{from[bit / 8 + 8]} << (64 - bit % 8);
    values[i] = value & mask;
  }
}

}  // namespace trellis::segment_names
