#pragma once

#include <cstdint>

// What the packed form's bytes mean, for who writes and who reads them (README.md).
namespace trellis::segment_names {

// How a column of values other than UUIDs is packed; a signed number follows.
enum class ColumnCoding : uint8_t {
  kBlocks = 0,        // differences in blocks; the number is the base, the least value
  kConstant = 1,      // the number is the value of all rows
  kPreviousPlus = 2,  // the column before, which is no UUID, plus the number
};
// A block's head: bits a value and how they predict. Without the flag each is the difference, not
// negative, to the row before or, where an earlier column changed, to the base. With it, the
// zig-zag difference to the row before; to the base in the first row.
inline constexpr uint8_t kZigZagBlock = 0x80;

inline constexpr size_t kUuidPackedBytes = 16;

}  // namespace trellis::segment_names
