#pragma once

#include <cstdint>
#include <span>

#include "common/base/bytes.h"

namespace trellis::format {

// Writes out.size() values of `width` bits, most significant bit first, the first of which starts
// at the first bit of `bytes`; returns the highest of them, 0 when there are none. Uses the best
// instructions that the processor has (chosen once). Never loads a byte outside `bytes`.
// REQUIRES: width in 1..31, and `bytes` holds at least out.size() values.
uint32_t UnpackBits(ByteView bytes, uint64_t width, std::span<uint32_t> out);

// Writes the values of `width` bits at the first out.size() of `positions`, in any order; returns
// the highest, 0 when there are none. All `positions` are fetched from memory, in order.
// REQUIRES: out.size() <= positions.size(); 8 bytes from the one in which each of the first
// out.size() values starts on are readable, and the others are positions of the same stream.
uint32_t GatherBits(const uint8_t* bytes, uint64_t width, std::span<const uint32_t> positions,
                    std::span<uint32_t> out);

}  // namespace trellis::format
