#pragma once

#include <cstddef>
#include <cstdint>

// What a block of a column starts with, for who writes and who reads it (README.md). A column of
// UUIDs has no such head.
namespace trellis::segment_names {

// Bits a value. Each is the difference, not negative, to the row before or, where an earlier column
// changed, to the block's base.
inline constexpr uint8_t kRestartingBlock = 0;
// With the bits a value: each is the zig-zag difference to the row before.
inline constexpr uint8_t kZigZagBlock = 0x80;
// Alone: each value is that of the column before, which is no UUID, plus a constant.
inline constexpr uint8_t kFollowingBlock = 0xff;

inline constexpr size_t kUuidPackedBytes = 16;

}  // namespace trellis::segment_names
