#include "broker/catalog/replica_spread.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <memory>

namespace trellis::broker {
namespace {

using HolderSet = absl::InlinedVector<uint32_t, 8>;

// Holders by position: those of position p are holders[offsets[p]] .. holders[offsets[p + 1]].
struct HoldersByPosition {
  std::vector<uint32_t> offsets;
  std::vector<uint32_t> holders;

  HoldersByPosition(size_t positions, std::span<const std::span<const uint32_t>> held)
      : offsets(positions + 1) {
    for (const auto& of_one : held) {
      for (const uint32_t position : of_one) ++offsets[position + 1];
    }
    for (size_t p = 0; p < positions; ++p) offsets[p + 1] += offsets[p];
    holders.resize(offsets[positions]);
    std::vector<uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (uint32_t holder = 0; holder < held.size(); ++holder) {
      for (const uint32_t position : held[holder]) holders[next[position]++] = holder;
    }
  }
  std::span<const uint32_t> Of(size_t position) const {
    return std::span(holders).subspan(offsets[position], offsets[position + 1] - offsets[position]);
  }
};

// Counts the positions of each set of holders.
class SetCounters {
 public:
  uint64_t& Of(std::span<const uint32_t> set) {
    // Neighbours tend to have the same holders.
    if (last_ == nullptr ||
        !std::equal(set.begin(), set.end(), last_set_.begin(), last_set_.end())) {
      last_set_.assign(set.begin(), set.end());
      std::unique_ptr<uint64_t>& count = counts_[last_set_];
      if (count == nullptr) count = std::make_unique<uint64_t>(0);
      last_ = count.get();
    }
    return *last_;
  }

 private:
  absl::flat_hash_map<HolderSet, std::unique_ptr<uint64_t>> counts_;
  HolderSet last_set_;
  uint64_t* last_ = nullptr;
};

}  // namespace

ReplicaSpread SpreadOverReplicas(size_t positions, std::span<const std::span<const uint32_t>> held,
                                 size_t assignments_max) {
  const HoldersByPosition by_position(positions, held);
  size_t assignments = 1;
  for (size_t p = 0; p < positions; ++p)
    assignments = std::max(assignments, by_position.Of(p).size());
  assignments = std::min(assignments, assignments_max);

  ReplicaSpread spread;
  spread.taken.resize(assignments, std::vector<std::vector<uint32_t>>(held.size()));
  SetCounters counters;
  for (uint32_t p = 0; p < positions; ++p) {
    const std::span<const uint32_t> holders = by_position.Of(p);
    if (holders.empty()) {
      spread.uncovered.push_back(p);
      continue;
    }
    const uint64_t n = holders.size() == 1 ? 0 : counters.Of(holders)++;
    for (size_t r = 0; r < assignments; ++r)
      spread.taken[r][holders[(n + r) % holders.size()]].push_back(p);
  }
  return spread;
}

}  // namespace trellis::broker
