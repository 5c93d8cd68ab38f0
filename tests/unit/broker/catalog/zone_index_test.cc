#include "broker/catalog/zone_index.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <random>

namespace trellis::broker {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

struct Zones {
  std::vector<Bounds> bounds;  // by slot
  std::vector<uint32_t> slots;
  Roaring disputed;

  ZoneIndex Index() const {
    PagedColumn<Bounds> column{Bounds{}};
    for (uint32_t slot = 0; slot < bounds.size(); ++slot) {
      if (bounds[slot].known()) column.Set(slot, bounds[slot]);
    }
    return ZoneIndex(column, slots, disputed);
  }
  // What InRange must hold, found by looking at every segment.
  Roaring Expected(int64_t low, int64_t high) const {
    Roaring expected;
    for (uint32_t id = 0; id < slots.size(); ++id) {
      const Bounds& b = bounds[slots[id]];
      if (!b.known() || disputed.contains(id) || (b.min <= high && b.max >= low)) expected.add(id);
    }
    return expected;
  }
};

Zones RandomZones(std::mt19937_64& random, uint32_t count, int64_t spread) {
  Zones zones;
  zones.slots.resize(count);
  std::iota(zones.slots.begin(), zones.slots.end(), 0);
  std::shuffle(zones.slots.begin(), zones.slots.end(), random);
  for (uint32_t i = 0; i < count; ++i) {
    Bounds bounds;
    if (random() % 10 != 0) {
      bounds.min = static_cast<int64_t>(random() % spread) - spread / 2;
      bounds.max = bounds.min + static_cast<int64_t>(random() % (spread / 10 + 1));
    }
    zones.bounds.push_back(bounds);
    if (random() % 50 == 0) zones.disputed.add(i);
  }
  return zones;
}

}  // namespace

TEST_CASE("segments in a range are found, and those without bounds with them") {
  std::mt19937_64 random(17);
  for (const uint32_t count : {0, 1, 2, 1'023, 1'024, 1'025, 5'000}) {
    for (const int64_t spread : {int64_t{3}, int64_t{1'000}, int64_t{1} << 60}) {
      const Zones zones = RandomZones(random, count, spread);
      const ZoneIndex index = zones.Index();
      for (int i = 0; i < 60; ++i) {
        int64_t low = static_cast<int64_t>(random() % spread) - spread / 2;
        int64_t high = low + static_cast<int64_t>(random() % (spread / 3 + 1));
        if (i % 10 == 0) low = kLowest;
        if (i % 15 == 0) high = kHighest;
        INFO(count << " segments, " << low << ".." << high);
        REQUIRE(index.InRange(low, high) == zones.Expected(low, high));
      }
    }
  }
}

TEST_CASE("the ends of the number line are in range of themselves") {
  const Zones zones{{{kLowest, kLowest}, {kHighest, kHighest}, {kLowest, kHighest}}, {0, 1, 2}, {}};
  const ZoneIndex index = zones.Index();
  CHECK(index.InRange(kLowest, kLowest) == Roaring::bitmapOf(2, 0, 2));
  CHECK(index.InRange(kHighest, kHighest) == Roaring::bitmapOf(2, 1, 2));
  CHECK(index.InRange(0, 0) == Roaring::bitmapOf(1, 2));
}

TEST_CASE("an index of nothing keeps everything") {
  const Zones zones{{{}, {}}, {0, 1}, {}};
  CHECK(zones.Index().empty());
  CHECK(zones.Index().InRange(1, 2).cardinality() == 2);
}

}  // namespace trellis::broker
