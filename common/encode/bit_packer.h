#pragma once

#include <cstdint>
#include <span>

namespace trellis::encode {

// Values that are packed at a time: they make `bits` whole 64-bit words.
inline constexpr size_t kPackGroup = 64;

// Writes the values, most significant bit first (format notes 4.1), to 8 * bits bytes for each
// group of them. REQUIRES: values.size() is a multiple of kPackGroup, every value fits `bits`, 1 to
// 31. Returns nothing to check: see AllFit.
void PackGroups(int bits, std::span<const uint32_t> values, uint8_t* to);

// Whether every value fits `bits`.
bool AllFit(int bits, std::span<const uint32_t> values);

}  // namespace trellis::encode
