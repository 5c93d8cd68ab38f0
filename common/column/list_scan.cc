#include "common/column/list_scan.h"

#include <algorithm>

// This file is compiled once for each instruction set; the last section chooses among them.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/column/list_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace trellis::column {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

bool Ascending(const uint32_t* HWY_RESTRICT numbers, size_t count) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  auto ascending_lanes = hn::Eq(hn::Zero(d), hn::Zero(d));
  size_t i = 1;
  for (; i + lanes <= count; i += lanes) {
    const auto before = hn::LoadU(d, numbers + i - 1);
    ascending_lanes = hn::And(ascending_lanes, hn::Lt(before, hn::LoadU(d, numbers + i)));
  }
  bool ascending = hn::AllTrue(d, ascending_lanes);
  for (; i < count; ++i) ascending &= numbers[i - 1] < numbers[i];
  return ascending;
}

bool Consecutive(const uint32_t* HWY_RESTRICT numbers, size_t count) {
  if (count == 0) return true;
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto step = hn::Set(d, static_cast<uint32_t>(lanes));
  auto expected = hn::Iota(d, numbers[0]);
  auto wrong = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes, expected = hn::Add(expected, step)) {
    wrong = hn::Or(wrong, hn::Xor(expected, hn::LoadU(d, numbers + i)));
  }
  bool consecutive = hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)));
  for (; i < count; ++i) consecutive &= numbers[i] == numbers[0] + static_cast<uint32_t>(i);
  return consecutive;
}

uint32_t Highest(const uint32_t* HWY_RESTRICT numbers, size_t count) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  auto highest = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) highest = hn::Max(highest, hn::LoadU(d, numbers + i));
  uint32_t result = hn::GetLane(hn::MaxOfLanes(d, highest));
  for (; i < count; ++i) result = std::max(result, numbers[i]);
  return result;
}

void Fill(uint32_t first, uint32_t* HWY_RESTRICT numbers, size_t count) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto step = hn::Set(d, static_cast<uint32_t>(lanes));
  auto next = hn::Iota(d, first);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes, next = hn::Add(next, step)) {
    hn::StoreU(next, d, numbers + i);
  }
  for (; i < count; ++i) numbers[i] = first + static_cast<uint32_t>(i);
}

}  // namespace HWY_NAMESPACE
}  // namespace trellis::column
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trellis::column {

HWY_EXPORT(Ascending);
HWY_EXPORT(Consecutive);
HWY_EXPORT(Highest);
HWY_EXPORT(Fill);

bool IsStrictlyAscending(std::span<const uint32_t> numbers) {
  return HWY_DYNAMIC_DISPATCH(Ascending)(numbers.data(), numbers.size());
}
bool IsConsecutive(std::span<const uint32_t> numbers) {
  return HWY_DYNAMIC_DISPATCH(Consecutive)(numbers.data(), numbers.size());
}
uint32_t HighestOf(std::span<const uint32_t> numbers) {
  return HWY_DYNAMIC_DISPATCH(Highest)(numbers.data(), numbers.size());
}

void FillRange(uint32_t first, std::span<uint32_t> numbers) {
  HWY_DYNAMIC_DISPATCH(Fill)(first, numbers.data(), numbers.size());
}

}  // namespace trellis::column
#endif
