#include "common/format/bit_unpack.h"

#include <algorithm>
#include <array>

// This file is compiled once for each instruction set; the last section chooses among them.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/format/bit_unpack.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

// Eight values start and end on whole bytes. They are taken as two quads, whose 4 * width bits lie
// within 16 bytes; the second quad starts in the middle of a byte where the width is odd. One byte
// shuffle gives every lane the 4 bytes at which its value starts, the first of them on top:
//
//   lane      |..skip..|------- width bits -------|......|      skip = 0..7
//
// A shift left by `skip` and right by 32 - width leaves the value. From 26 bits on a value may end
// in a fifth byte: a second shuffle brings that one.
#ifndef TRELLIS_COMMON_FORMAT_BIT_UNPACK_ONCE
#define TRELLIS_COMMON_FORMAT_BIT_UNPACK_ONCE
namespace trellis::format {
namespace {

constexpr uint64_t kFourByteWidthMax = 25;  // skip + width <= 32
constexpr uint8_t kNoByte = 0x80;           // shuffles to zero

struct alignas(32) QuadPair {
  std::array<uint8_t, 32> window = {};
  std::array<uint8_t, 32> fifth = {};
  std::array<uint32_t, 8> skip = {};
};

constexpr std::array<QuadPair, 32> MakeQuadPairs() {
  std::array<QuadPair, 32> pairs = {};
  for (uint32_t width = 1; width <= 31; ++width) {
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t quad_start_byte = i / 4 * (width / 2);
      const uint32_t bit = i * width - 8 * quad_start_byte;
      for (uint32_t byte = 0; byte < 4; ++byte) {
        const uint32_t from = bit / 8 + 3 - byte;
        pairs[width].window[i * 4 + byte] = from < 16 ? static_cast<uint8_t>(from) : kNoByte;
        pairs[width].fifth[i * 4 + byte] = kNoByte;
      }
      if (bit / 8 + 4 < 16) pairs[width].fifth[i * 4] = static_cast<uint8_t>(bit / 8 + 4);
      pairs[width].skip[i] = bit % 8;
    }
  }
  return pairs;
}
constexpr std::array<QuadPair, 32> kQuadPairs = MakeQuadPairs();

[[maybe_unused]] inline uint32_t ExtractAt(const uint8_t* bytes, uint64_t position,
                                           uint64_t width) {
  const uint64_t bit = position * width;
  const uint64_t word = LoadBigEndian<uint64_t>(bytes + (bit >> 3));
  return static_cast<uint32_t>((word << (bit & 7)) >> (64 - width));
}

}  // namespace
}  // namespace trellis::format
#endif

HWY_BEFORE_NAMESPACE();
namespace trellis::format {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

// The plain form: a load of 8 bytes a value.
class Unpacker {
 public:
  static constexpr size_t kStep = 8;
  explicit Unpacker(uint64_t width) : width_(width) {}
  size_t step_size_bytes() const { return width_; }
  size_t load_size_bytes() const { return width_ + 7; }
  void Step(const uint8_t* from, uint32_t* to) {
    for (uint64_t i = 0; i < kStep; ++i) to[i] = ExtractAt(from, i, width_);
    for (uint64_t i = 0; i < kStep; ++i) highest_ = std::max(highest_, to[i]);
  }
  uint32_t highest() const { return highest_; }

 private:
  uint64_t width_;
  uint32_t highest_ = 0;
};
using NarrowUnpacker = Unpacker;
using WideUnpacker = Unpacker;

#else

#if HWY_TARGET <= HWY_AVX3
constexpr size_t kLanes = 16;
#elif HWY_TARGET == HWY_AVX2
constexpr size_t kLanes = 8;
#else
constexpr size_t kLanes = 4;
#endif

// kWide: values may lie in five bytes.
template <bool kWide>
class Unpacker {
  using D32 = hn::FixedTag<uint32_t, kLanes>;
  using D8 = hn::FixedTag<uint8_t, kLanes * 4>;
  using V32 = hn::Vec<D32>;
  using V8 = hn::Vec<D8>;
  static constexpr size_t kVectors = kLanes < 8 ? 2 : 1;  // two quads of 4 lanes differ

 public:
  static constexpr size_t kStep = kLanes * kVectors;

  explicit HWY_INLINE Unpacker(uint64_t width)
      : width_(width), shift_(static_cast<int>(32 - width)), highest_(hn::Zero(D32())) {
    const QuadPair& pair = kQuadPairs[width];
    alignas(64) uint8_t window[64], fifth[64];
    alignas(64) uint32_t skip[16];
    for (size_t half = 0; half < 2; ++half) {
      std::copy(pair.window.begin(), pair.window.end(), window + half * 32);
      std::copy(pair.fifth.begin(), pair.fifth.end(), fifth + half * 32);
      std::copy(pair.skip.begin(), pair.skip.end(), skip + half * 8);
    }
    for (size_t v = 0; v < kVectors; ++v) {
      window_[v] = hn::Load(D8(), window + v * 16);
      fifth_[v] = hn::Load(D8(), fifth + v * 16);
      skip_[v] = hn::Load(D32(), skip + v * 4);
#if HWY_TARGET > HWY_AVX2
      skip_[v] = hn::Shl(hn::Set(D32(), 1), skip_[v]);  // no shift by lane there: a factor
#endif
    }
  }
  HWY_INLINE size_t step_size_bytes() const { return width_ * (kStep / 8); }
  // Bytes that one step may touch.
  HWY_INLINE size_t load_size_bytes() const { return step_size_bytes() - width_ + width_ / 2 + 16; }

  HWY_INLINE void Step(const uint8_t* HWY_RESTRICT from, uint32_t* HWY_RESTRICT to) {
    for (size_t v = 0; v < kVectors; ++v) {
      const V32 values = Extract(Quads(from + v * (width_ / 2)), v);
      hn::StoreU(values, D32(), to + v * kLanes);
      highest_ = hn::Max(highest_, values);
    }
  }
  HWY_INLINE uint32_t highest() const { return hn::GetLane(hn::MaxOfLanes(D32(), highest_)); }

 private:
  HWY_INLINE V8 Quads(const uint8_t* HWY_RESTRICT from) const {
    const hn::FixedTag<uint8_t, 16> d16;
#if HWY_TARGET <= HWY_AVX2
    const hn::FixedTag<uint8_t, 32> d32;
    const auto first = hn::Combine(d32, hn::LoadU(d16, from + width_ / 2), hn::LoadU(d16, from));
#if HWY_TARGET <= HWY_AVX3
    from += width_;
    const auto second = hn::Combine(d32, hn::LoadU(d16, from + width_ / 2), hn::LoadU(d16, from));
    return hn::Combine(D8(), second, first);
#else
    return first;
#endif
#else
    return hn::LoadU(d16, from);
#endif
  }

  HWY_INLINE V32 Extract(V8 quads, size_t v) const {
    const D32 d;
    V32 bits = ShiftBySkip(hn::BitCast(d, hn::TableLookupBytesOr0(quads, window_[v])), v);
    if constexpr (kWide) {
      const V32 fifth = hn::BitCast(d, hn::TableLookupBytesOr0(quads, fifth_[v]));
      bits = hn::Or(bits, hn::ShiftRight<8>(ShiftBySkip(fifth, v)));
    }
    return hn::ShiftRightSame(bits, shift_);
  }
  HWY_INLINE V32 ShiftBySkip(V32 bits, size_t v) const {
#if HWY_TARGET > HWY_AVX2
    return hn::Mul(bits, skip_[v]);
#else
    return hn::Shl(bits, skip_[v]);
#endif
  }

  size_t width_;
  int shift_;
  V32 highest_;
  V8 window_[kVectors], fifth_[kVectors];
  V32 skip_[kVectors];
};
using NarrowUnpacker = Unpacker<false>;
using WideUnpacker = Unpacker<true>;

#endif

template <class U>
HWY_INLINE uint32_t UnpackAll(const uint8_t* HWY_RESTRICT from, size_t size, uint64_t width,
                              size_t count, uint32_t* HWY_RESTRICT to) {
  U unpacker(width);
  const size_t step_size = unpacker.step_size_bytes();
  const size_t load_size = unpacker.load_size_bytes();
  while (count >= U::kStep && size >= load_size) {
    unpacker.Step(from, to);
    from += step_size;
    size -= step_size;
    to += U::kStep;
    count -= U::kStep;
  }
  uint32_t highest = unpacker.highest();
  if (count == 0) return highest;
  // What is left is less than a step, or near the end: from a copy with room behind it.
  alignas(64) uint8_t tail[192] = {};
  if (size < load_size) {
    std::memcpy(tail, from, size);
    from = tail;
  }
  alignas(64) uint32_t step[U::kStep];
  while (count > 0) {
    unpacker.Step(from, step);
    const size_t taken = std::min(count, U::kStep);
    for (size_t i = 0; i < taken; ++i) highest = std::max(highest, to[i] = step[i]);
    from += step_size;
    to += taken;
    count -= taken;
  }
  return highest;
}

uint32_t Unpack(const uint8_t* from, size_t size, uint64_t width, size_t count, uint32_t* to) {
  return width <= kFourByteWidthMax ? UnpackAll<NarrowUnpacker>(from, size, width, count, to)
                                    : UnpackAll<WideUnpacker>(from, size, width, count, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace trellis::format
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trellis::format {

HWY_EXPORT(Unpack);

uint32_t UnpackBits(ByteView bytes, uint64_t width, std::span<uint32_t> out) {
  return HWY_DYNAMIC_DISPATCH(Unpack)(bytes.data(), bytes.size(), width, out.size(), out.data());
}

}  // namespace trellis::format
#endif
