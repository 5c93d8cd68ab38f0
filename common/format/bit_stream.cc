#include "common/format/bit_stream.h"

#include <algorithm>

#include "common/base/bits.h"
#include "common/format/bit_unpack.h"
#include "common/format/gather.h"

// A value of up to 31 bits that starts anywhere within a byte lies within 38 bits, so one
// big-endian load of 8 bytes holds it:
//
//   byte      first = bit / 8                                    first + 7
//   |..skip..|----- width bits -----|..............................|
//
// shifted left by `skip` and right by 64 - width. Files end right after the last bit: the few
// values whose load would pass the end are put together from a copy of the tail.

namespace trellis::format {
namespace {

inline uint32_t Extract(uint64_t word, uint64_t skip, uint64_t width) {
  return static_cast<uint32_t>((word << skip) >> (64 - width));
}

inline uint32_t ReadWide(const uint8_t* bytes, uint64_t position, uint64_t width) {
  const uint64_t bit = position * width;
  return Extract(LoadBigEndian<uint64_t>(bytes + (bit >> 3)), bit & 7, width);
}

uint32_t ReadNearEnd(ByteView bytes, uint64_t position, uint64_t width) {
  const uint64_t bit = position * width;
  const size_t first = bit >> 3;
  uint8_t tail[8] = {};
  std::memcpy(tail, bytes.data() + first, std::min<size_t>(8, bytes.size() - first));
  return Extract(LoadBigEndian<uint64_t>(tail), bit & 7, width);
}

}  // namespace

BitStream::BitStream(ByteView bytes, uint64_t count, int width)
    : bytes_(bytes), count_(count), width_(static_cast<uint64_t>(width)) {
  // Value i may be loaded whole when (i*width)/8 + 8 <= size: i*width < 8 * (size - 7).
  if (bytes.size() >= 8) wide_count_ = std::min(count, CeilDivide(8 * (bytes.size() - 7), width_));
}

Result<BitStream> BitStream::Open(ByteView bytes, uint64_t count, int width) {
  if (width < 1 || width > 31) return Status::Corrupt("{} bits a value, expected 1 to 31", width);
  if (count > (uint64_t{1} << 40) ||
      CeilDivide(count * static_cast<uint64_t>(width), 8) != bytes.size()) {
    return Status::Corrupt("{} values of {} bits do not make {} bytes", count, width, bytes.size());
  }
  return BitStream(bytes, count, width);
}

uint32_t BitStream::At(uint64_t position) const {
  return position < wide_count_ ? ReadWide(bytes_.data(), position, width_)
                                : ReadNearEnd(bytes_, position, width_);
}

uint32_t BitStream::Unpack(uint64_t first, std::span<uint32_t> out) const {
  // Groups of eight values start on whole bytes.
  const size_t head = std::min<size_t>((8 - first % 8) % 8, out.size());
  uint32_t highest = 0;
  for (size_t i = 0; i < head; ++i) highest = std::max(highest, out[i] = At(first + i));
  if (head == out.size()) return highest;
  return std::max(
      highest, UnpackBits(bytes_.subspan((first + head) / 8 * width_), width_, out.subspan(head)));
}

std::optional<uint32_t> BitStream::GatherAscending(std::span<const uint32_t> positions,
                                                   std::span<uint32_t> out) const {
  return GatherAscendingBits({bytes_, count_, width_}, positions, out);
}

}  // namespace trellis::format
