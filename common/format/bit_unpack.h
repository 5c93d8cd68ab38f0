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

}  // namespace trellis::format
