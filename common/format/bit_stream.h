#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.h"

namespace trellis::format {

// Unsigned values of 1 to 31 bits, most significant bit first, without header or padding between
// them (pinot-segment-format.md 4.1). Value i occupies the bits [i*width, (i+1)*width) of the
// bytes. A view: the bytes must outlive it. Safe for many threads.
class BitStream {
 public:
  BitStream() = default;
  // Errors: Corrupt when the width is not 1..31 or `bytes` is not exactly as long as `count` values
  // need.
  static Result<BitStream> Open(ByteView bytes, uint64_t count, int width);

  uint64_t size() const { return count_; }
  // The bytes from those of one value on, to the end. REQUIRES: position <= size().
  ByteView BytesFrom(uint64_t position) const { return bytes_.subspan(position * width_ / 8); }
  // REQUIRES for both: every position is below size().
  uint32_t At(uint64_t position) const;
  // Writes the values of [first, first + out.size()); returns the highest, 0 when there are none.
  uint32_t Unpack(uint64_t first, std::span<uint32_t> out) const;
  // Writes the values at the first out.size() of `positions`; returns the highest, 0 when there are
  // none, and nothing unless these positions are strictly ascending below size() (checked as they
  // are read). Positions behind them are wanted soon: they are fetched from memory.
  // REQUIRES: out.size() <= positions.size().
  std::optional<uint32_t> GatherAscending(std::span<const uint32_t> positions,
                                          std::span<uint32_t> out) const;

 private:
  BitStream(ByteView bytes, uint64_t count, int width);

  ByteView bytes_;
  uint64_t count_ = 0;
  uint64_t width_ = 1;
  uint64_t wide_count_ = 0;  // values below this can be read with one 8-byte load
};

}  // namespace trellis::format
