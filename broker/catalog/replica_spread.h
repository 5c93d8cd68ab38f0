#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trellis::broker {

// Which holder takes which of the positions 0, 1, 2, ... in each of several assignments.
struct ReplicaSpread {
  // [assignment][holder]: positions, ascending. At least one assignment.
  std::vector<std::vector<std::vector<uint32_t>>> taken;
  std::vector<uint32_t> uncovered;  // positions without a holder, ascending
};

// Spreads `positions` positions over those who hold them (a span each, ascending, below
// `positions`): of the positions that one set of holders has, the n-th goes to holder (n + r) mod
// size of the set in assignment r. As many assignments as the largest set has holders, at least 1
// and at most `assignments_max`. O(positions + sum of spans).
ReplicaSpread SpreadOverReplicas(size_t positions, std::span<const std::span<const uint32_t>> held,
                                 size_t assignments_max);

}  // namespace trellis::broker
