#include "broker/catalog/replica_spread.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace trellis::broker {
namespace {

using Held = std::vector<std::vector<uint32_t>>;

ReplicaSpread Spread(size_t positions, const Held& held, size_t assignments_max = 8) {
  const std::vector<std::span<const uint32_t>> spans(held.begin(), held.end());
  return SpreadOverReplicas(positions, spans, assignments_max);
}

}  // namespace

TEST_CASE("positions of one holder go to it in every assignment") {
  const auto spread = Spread(4, {{0, 1, 3}, {3}});
  REQUIRE(spread.taken.size() == 2);
  CHECK(spread.taken[0][0] == std::vector<uint32_t>{0, 1, 3});
  CHECK(spread.taken[0][1].empty());
  CHECK(spread.taken[1][0] == std::vector<uint32_t>{0, 1});
  CHECK(spread.taken[1][1] == std::vector<uint32_t>{3});
  CHECK(spread.uncovered == std::vector<uint32_t>{2});
}

TEST_CASE("without holders or positions there is one assignment, to nobody") {
  CHECK(Spread(0, {}).taken.size() == 1);
  CHECK(Spread(2, {}).uncovered == std::vector<uint32_t>{0, 1});
  CHECK(Spread(2, {{}, {}}).taken.size() == 1);
}

TEST_CASE("each set of holders is shared out evenly, however sets alternate") {
  // Even positions on 0 and 1, odd ones on 2 and 3: a count over all positions would not turn.
  Held held(4);
  for (uint32_t p = 0; p < 100; ++p) {
    held[p % 2 * 2].push_back(p);
    held[p % 2 * 2 + 1].push_back(p);
  }
  const auto spread = Spread(100, held);
  REQUIRE(spread.taken.size() == 2);
  for (const auto& taken : spread.taken) {
    for (const auto& of_holder : taken) CHECK(of_holder.size() == 25);
  }
}

TEST_CASE("every assignment covers what is held exactly once, by one who holds it") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    const size_t positions = random() % 500;
    Held held(1 + random() % 12);
    std::vector<bool> anywhere(positions);
    for (auto& of_holder : held) {
      for (uint32_t p = 0; p < positions; ++p) {
        if (random() % 4 != 0) continue;
        of_holder.push_back(p);
        anywhere[p] = true;
      }
    }
    const auto spread = Spread(positions, held, 5);
    CHECK(spread.taken.size() <= 5);
    for (const auto& taken : spread.taken) {
      std::vector<int> covered(positions);
      for (size_t h = 0; h < held.size(); ++h) {
        CHECK(std::includes(held[h].begin(), held[h].end(), taken[h].begin(), taken[h].end()));
        for (const uint32_t p : taken[h]) ++covered[p];
      }
      for (size_t p = 0; p < positions; ++p) REQUIRE(covered[p] == (anywhere[p] ? 1 : 0));
    }
    CHECK(static_cast<size_t>(std::count(anywhere.begin(), anywhere.end(), false)) ==
          spread.uncovered.size());
  }
}

}  // namespace trellis::broker
