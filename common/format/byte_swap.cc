#include "common/format/byte_swap.h"

// This file is compiled once for each instruction set; the last section chooses among them.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/format/byte_swap.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace trellis::format {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Word>
HWY_INLINE void Swap(const uint8_t* HWY_RESTRICT from, size_t count, uint8_t* HWY_RESTRICT to) {
  size_t i = 0;
  const size_t size = count * sizeof(Word);
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  alignas(16) static constexpr uint8_t kOrder4[16] = {3,  2,  1, 0, 7,  6,  5,  4,
                                                      11, 10, 9, 8, 15, 14, 13, 12};
  alignas(16) static constexpr uint8_t kOrder8[16] = {7,  6,  5,  4,  3,  2,  1, 0,
                                                      15, 14, 13, 12, 11, 10, 9, 8};
  const hn::ScalableTag<uint8_t> d;
  const auto order = hn::LoadDup128(d, sizeof(Word) == 4 ? kOrder4 : kOrder8);
  const size_t lanes = hn::Lanes(d);
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    const auto first = hn::LoadU(d, from + i);
    const auto second = hn::LoadU(d, from + i + lanes);
    hn::StoreU(hn::TableLookupBytes(first, order), d, to + i);
    hn::StoreU(hn::TableLookupBytes(second, order), d, to + i + lanes);
  }
#endif
  for (; i < size; i += sizeof(Word)) {
    const Word word = LoadBigEndian<Word>(from + i);
    std::memcpy(to + i, &word, sizeof(Word));
  }
}

void Swap4(const uint8_t* from, size_t count, uint8_t* to) { Swap<uint32_t>(from, count, to); }
void Swap8(const uint8_t* from, size_t count, uint8_t* to) { Swap<uint64_t>(from, count, to); }

}  // namespace HWY_NAMESPACE
}  // namespace trellis::format
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trellis::format {

HWY_EXPORT(Swap4);
HWY_EXPORT(Swap8);

void SwapWords4(const uint8_t* from, size_t count, void* to) {
  HWY_DYNAMIC_DISPATCH(Swap4)(from, count, static_cast<uint8_t*>(to));
}
void SwapWords8(const uint8_t* from, size_t count, void* to) {
  HWY_DYNAMIC_DISPATCH(Swap8)(from, count, static_cast<uint8_t*>(to));
}

}  // namespace trellis::format
#endif
