#pragma once

#include <bit>
#include <cstdint>

namespace trellis {

// Bits that hold every value up to `max_value`, at least 1 (pinot-segment-format.md, conventions).
constexpr int BitsFor(uint64_t max_value) {
  return max_value <= 1 ? 1 : 64 - std::countl_zero(max_value);
}
constexpr uint64_t CeilDivide(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

}  // namespace trellis
