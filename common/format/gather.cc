#include "common/format/gather.h"

#include <algorithm>

#include "common/base/bits.h"

// This file is compiled once for each instruction set; the last section chooses among them.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/format/gather.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

// Sixteen positions are compared with the ones before them and with a limit; only then the bytes
// from the one in which each value starts on are gathered, swapped, and cut out by two shifts. The
// limit keeps loads within the bytes: the few values behind it are put together from a copy. Values
// of 1 to 25 and of 32 bits lie in four bytes from their first one on, 26 to 31 may need a fifth.
#ifndef TRELLIS_COMMON_FORMAT_GATHER_ONCE
#define TRELLIS_COMMON_FORMAT_GATHER_ONCE
namespace trellis::format {
namespace {

// What a kernel reads: values of which a whole word of 8 bytes can be loaded below `limit`.
struct WholeLoads {
  const uint8_t* bytes;
  uint64_t width;
  uint32_t limit;
};
// The list, all of which may be looked at for what to fetch, and the part of it that is wanted.
struct Wanted {
  const uint32_t* positions;
  size_t size;
  size_t from;
  size_t to;
};

constexpr size_t kAhead = 128;  // values that are on their way while others are taken
// Narrower values share lines so often that the processor's own look-ahead is enough.
constexpr uint64_t kFetchWidthMin = 5;

inline uint64_t WordAt(const WholeLoads& from, uint64_t position) {
  const uint64_t bit = position * from.width;
  return LoadBigEndian<uint64_t>(from.bytes + (bit >> 3)) << (bit & 7);
}
// `to` may be the place of a number of any type of that size.
template <class T>
inline void Put(T value, T* to, uint32_t& highest) {
  std::memcpy(to, &value, sizeof(T));
  if constexpr (sizeof(T) == 4) highest = std::max(highest, value);
}
[[maybe_unused]] inline void Fetch(const WholeLoads& from, uint64_t position) {
  __builtin_prefetch(from.bytes + (position * from.width >> 3));
}

}  // namespace
}  // namespace trellis::format
#endif

HWY_BEFORE_NAMESPACE();
namespace trellis::format {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3
constexpr size_t kLanes = 16;
using D32 = hn::FixedTag<uint32_t, kLanes>;
using HalfD32 = hn::FixedTag<uint32_t, kLanes / 2>;
using D64 = hn::FixedTag<uint64_t, kLanes / 2>;
using DI64 = hn::FixedTag<int64_t, kLanes / 2>;
using D8 = hn::FixedTag<uint8_t, kLanes * 4>;
using V32 = hn::Vec<D32>;
using V64 = hn::Vec<D64>;

// Bytes of each word in reverse order.
template <class V>
HWY_INLINE V Swapped(V words) {
  alignas(16) static constexpr uint8_t kOrder4[16] = {3,  2,  1, 0, 7,  6,  5,  4,
                                                      11, 10, 9, 8, 15, 14, 13, 12};
  alignas(16) static constexpr uint8_t kOrder8[16] = {7,  6,  5,  4,  3,  2,  1, 0,
                                                      15, 14, 13, 12, 11, 10, 9, 8};
  const hn::DFromV<V> d;
  const auto order = hn::LoadDup128(D8(), sizeof(hn::TFromD<decltype(d)>) == 4 ? kOrder4 : kOrder8);
  return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(D8(), words), order));
}

// Values that lie in four bytes. Positions count from `base`, so that their bits fit in 32.
class FourByteGatherer {
 public:
  static constexpr uint64_t kPositions = uint64_t{1} << 27;  // of up to 32 bits each

  HWY_INLINE FourByteGatherer(const WholeLoads& from, uint32_t base)
      : bytes_(from.bytes + (base & ~uint64_t{7}) * from.width / 8),
        base_(hn::Set(D32(), base & ~7U)),
        width_(hn::Set(D32(), static_cast<uint32_t>(from.width))),
        shift_(static_cast<int>(32 - from.width)),
        highest_(hn::Zero(D32())) {}

  HWY_INLINE void Fetch(const uint32_t* positions) const {
    alignas(64) uint32_t starts[kLanes];
    hn::Store(hn::ShiftRight<3>(Bits(hn::LoadU(D32(), positions))), D32(), starts);
    for (const uint32_t start : starts) __builtin_prefetch(bytes_ + start);
  }
  HWY_INLINE void Take(V32 positions, uint32_t* HWY_RESTRICT to) {
    const D32 d;
    const hn::RebindToSigned<D32> di;
    const V32 bits = Bits(positions);
    const V32 words = hn::GatherOffset(d, reinterpret_cast<const uint32_t*>(bytes_),
                                       hn::BitCast(di, hn::ShiftRight<3>(bits)));
    const V32 skip = hn::And(bits, hn::Set(d, 7));
    const V32 values = hn::ShiftRightSame(hn::Shl(Swapped(words), skip), shift_);
    hn::StoreU(values, d, to);
    highest_ = hn::Max(highest_, values);
  }
  HWY_INLINE uint32_t highest() const { return hn::GetLane(hn::MaxOfLanes(D32(), highest_)); }

 private:
  HWY_INLINE V32 Bits(V32 positions) const { return hn::Mul(hn::Sub(positions, base_), width_); }

  const uint8_t* bytes_;
  V32 base_, width_;
  int shift_;
  V32 highest_;
};

// Values that lie in eight bytes, of T: 4 bytes for up to 32 bits, else 8.
template <class T>
class EightByteGatherer {
 public:
  static constexpr uint64_t kPositions = uint64_t{1} << 32;

  HWY_INLINE EightByteGatherer(const WholeLoads& from, uint32_t)
      : from_(from), shift_(static_cast<int>(64 - from.width)), highest_(hn::Zero(D32())) {}

  HWY_INLINE void Fetch(const uint32_t* positions) const {
    for (size_t i = 0; i < kLanes; ++i) format::Fetch(from_, positions[i]);
  }
  HWY_INLINE void Take(V32 positions, T* HWY_RESTRICT to) {
    const V64 low = Values(hn::PromoteTo(D64(), hn::LowerHalf(HalfD32(), positions)));
    const V64 high = Values(hn::PromoteTo(D64(), hn::UpperHalf(HalfD32(), positions)));
    if constexpr (sizeof(T) == 8) {
      hn::StoreU(low, D64(), to);
      hn::StoreU(high, D64(), to + kLanes / 2);
    } else {
      const D32 d;
      const V32 values = hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low));
      hn::StoreU(values, d, to);
      highest_ = hn::Max(highest_, values);
    }
  }
  HWY_INLINE uint32_t highest() const { return hn::GetLane(hn::MaxOfLanes(D32(), highest_)); }

 private:
  HWY_INLINE V64 Values(V64 positions) const {
    const D64 d;
    const V64 width = hn::Set(d, from_.width);
    const V64 bits = hn::MulEven(hn::BitCast(D32(), positions), hn::BitCast(D32(), width));
    const V64 words = hn::GatherOffset(d, reinterpret_cast<const uint64_t*>(from_.bytes),
                                       hn::BitCast(DI64(), hn::ShiftRight<3>(bits)));
    const V64 skip = hn::And(bits, hn::Set(d, 7));
    return hn::ShiftRightSame(hn::Shl(Swapped(words), skip), shift_);
  }

  WholeLoads from_;
  int shift_;
  V32 highest_;
};
#endif

// Takes values while their positions ascend from the one before list.from on and are below the
// limit; returns where it stopped, which may be earlier. REQUIRES: list.from > 0.
template <class Gatherer, class T>
HWY_INLINE size_t TakeWhileAscending(const WholeLoads& from, const Wanted& list, T* HWY_RESTRICT to,
                                     uint32_t& highest) {
  const uint32_t* HWY_RESTRICT positions = list.positions;
  size_t i = list.from;
  uint32_t limit = from.limit;
#if HWY_TARGET <= HWY_AVX3
  const uint32_t base = positions[i - 1];
  limit = static_cast<uint32_t>(std::min<uint64_t>(limit, (base & ~7U) + Gatherer::kPositions));
  Gatherer gatherer(from, base);
  const D32 d;
  const V32 limits = hn::Set(d, limit);
  for (; i + kLanes <= list.to; i += kLanes) {
    const V32 here = hn::LoadU(d, positions + i);
    const auto above = hn::Lt(hn::LoadU(d, positions + i - 1), here);
    if (!hn::AllTrue(d, hn::And(above, hn::Lt(here, limits)))) break;
    if (from.width >= kFetchWidthMin && i + kAhead + kLanes <= list.size) {
      gatherer.Fetch(positions + i + kAhead);
    }
    gatherer.Take(here, to + i);
  }
  highest = std::max(highest, gatherer.highest());
#endif
  for (; i < list.to && positions[i - 1] < positions[i] && positions[i] < limit; ++i) {
#if HWY_TARGET > HWY_AVX3
    if (i + kAhead < list.size) Fetch(from, positions[i + kAhead]);
#endif
    Put(static_cast<T>(WordAt(from, positions[i]) >> (64 - from.width)), to + i, highest);
  }
  return i;
}

#if HWY_TARGET > HWY_AVX3
using FourByteGatherer = void;
template <class T>
using EightByteGatherer = void;
#endif

size_t TakeBits(const WholeLoads& from, const Wanted& list, uint32_t* to, uint32_t& highest) {
  return from.width <= 25 || from.width == 32
             ? TakeWhileAscending<FourByteGatherer>(from, list, to, highest)
             : TakeWhileAscending<EightByteGatherer<uint32_t>>(from, list, to, highest);
}
size_t TakeWords8(const WholeLoads& from, const Wanted& list, uint64_t* to) {
  uint32_t highest = 0;
  return TakeWhileAscending<EightByteGatherer<uint64_t>>(from, list, to, highest);
}

}  // namespace HWY_NAMESPACE
}  // namespace trellis::format
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trellis::format {
namespace {

HWY_EXPORT(TakeBits);
HWY_EXPORT(TakeWords8);

// Value i can be loaded whole when (i * width) / 8 + 8 <= size: i * width < 8 * (size - 7).
WholeLoads LoadsOf(const PackedValues& values) {
  uint64_t limit = 0;
  if (values.bytes.size() >= 8) {
    limit = std::min(values.count, CeilDivide(8 * (values.bytes.size() - 7), values.width));
  }
  return {values.bytes.data(), values.width,
          static_cast<uint32_t>(std::min<uint64_t>(limit, UINT32_MAX))};
}

// One value, from a copy where its load would pass the end.
uint64_t ValueAt(const PackedValues& values, uint64_t position) {
  const uint64_t bit = position * values.width;
  const size_t first = bit >> 3;
  uint8_t word[8] = {};
  std::memcpy(word, values.bytes.data() + first, std::min<size_t>(8, values.bytes.size() - first));
  return LoadBigEndian<uint64_t>(word) << (bit & 7) >> (64 - values.width);
}

// Values one at a time where `take_many` does not go on; what it takes, it has checked.
template <class T, class TakeMany>
bool GatherAscending(const PackedValues& values, std::span<const uint32_t> positions,
                     std::span<T> to, uint32_t& highest, TakeMany&& take_many) {
  for (size_t i = 0; i < to.size();) {
    const uint32_t position = positions[i];
    if (position >= values.count || (i > 0 && position <= positions[i - 1])) return false;
    Put(static_cast<T>(ValueAt(values, position)), &to[i], highest);
    i = take_many(Wanted{positions.data(), positions.size(), i + 1, to.size()});
  }
  return true;
}

}  // namespace

std::optional<uint32_t> GatherAscendingBits(const PackedValues& values,
                                            std::span<const uint32_t> positions,
                                            std::span<uint32_t> to) {
  const WholeLoads from = LoadsOf(values);
  uint32_t highest = 0;
  const bool taken = GatherAscending(values, positions, to, highest, [&](const Wanted& list) {
    return HWY_DYNAMIC_DISPATCH(TakeBits)(from, list, to.data(), highest);
  });
  return taken ? std::optional(highest) : std::nullopt;
}

bool GatherAscendingWords8(ByteView values, std::span<const uint32_t> positions, uint64_t* to) {
  const PackedValues words = {values, values.size() / 8, 64};
  const WholeLoads from = LoadsOf(words);
  uint32_t unused = 0;
  return GatherAscending(
      words, positions, std::span(to, positions.size()), unused,
      [&](const Wanted& list) { return HWY_DYNAMIC_DISPATCH(TakeWords8)(from, list, to); });
}

}  // namespace trellis::format
#endif
