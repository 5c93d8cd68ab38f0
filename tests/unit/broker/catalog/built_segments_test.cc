#include "broker/catalog/built_segments.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <random>
#include <thread>

#include "tests/unit/broker/catalog/announced.h"

namespace trellis::broker {
namespace {

struct Fixture {
  SegmentSlots slots;

  std::shared_ptr<BuiltSegments> Build(const wire::SegmentBatch& batch) {
    for (const uint32_t slot : slots.Take(batch)) slots.Hold(slot);
    slots.RefreshOrder();
    auto numbering = slots.Number();
    return std::make_shared<BuiltSegments>(slots, std::move(numbering.slots), numbering.disputed);
  }
};

}  // namespace

TEST_CASE("built segments answer for names and rows, and find them from many threads") {
  Fixture f;
  std::vector<std::pair<uint32_t, std::string>> names;
  for (uint32_t i = 0; i < 2'000; ++i) names.emplace_back(i, "s_" + std::to_string(1'999 - i));
  wire::SegmentBatch batch = BatchOf(names);
  for (uint32_t i = 0; i < 2'000; ++i) batch.rows[i] = 1'999 - i;
  const auto segments = f.Build(batch);
  CHECK(segments->size() == 2'000);
  CHECK(segments->name(17) == "s_17");
  CHECK(segments->rows(17) == 17);
  CHECK(segments->rows_total() == 1'999'000);
  CHECK(segments->RowsOf({}) == 0);
  CHECK(segments->RowsOf(Roaring::bitmapOf(3, 1, 2, 3)) == 6);
  CHECK(segments->RowsOf(segments->prune_index().all() - Roaring::bitmapOf(1, 9)) == 1'998'991);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (uint32_t i = 0; i < 2'000; ++i) wrong += segments->Find("s_" + std::to_string(i)) != i;
      wrong += segments->Find("s_2000").has_value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("built segments outlive their writer and do not see what it adds") {
  auto f = std::make_unique<Fixture>();
  wire::SegmentBatch batch = BatchOf({{0, "b"}});
  batch.zones = {ZonesOf("n", {{1, 2}})};
  const auto segments = f->Build(batch);
  const auto later = f->Build(BatchOf({{1, "a"}}));
  f.reset();
  CHECK(segments->size() == 1);
  CHECK(segments->name(0) == "b");
  CHECK(segments->prune_index().InRange("n", 3, 4).isEmpty());
  CHECK(later->name(0) == "a");
  CHECK(later->prune_index().InRange("n", 3, 4) == Roaring::bitmapOf(1, 0));
}

TEST_CASE("a segment is found again in other states of its table") {
  Fixture f;
  const auto first = f.Build(BatchOf({{0, "s_5"}, {1, "s_9"}, {2, "s_12"}}));
  f.slots.Release(1);
  f.slots.Release(2);
  // s_12 comes back with other data, s_7 is new.
  const auto second = f.Build(BatchOf({{3, "s_12"}, {4, "s_7"}}, 2));
  REQUIRE(second->size() == 3);
  CHECK(second->FindOf(*second, 2) == 2);
  CHECK(second->FindOf(*first, 0) == 0);
  CHECK_FALSE(second->FindOf(*first, 1));
  CHECK(second->FindOf(*first, 2) == 2);
  CHECK(first->FindOf(*second, 0) == 0);
  CHECK_FALSE(first->FindOf(*second, 1));
  CHECK(first->FindOf(*second, 2) == 2);
  // Between states that have no slots in common it goes by name.
  Fixture other;
  const auto elsewhere = other.Build(BatchOf({{0, "s_7"}, {1, "s_1"}}));
  CHECK(second->FindOf(*elsewhere, 1) == 1);
  CHECK_FALSE(second->FindOf(*elsewhere, 0));
}

TEST_CASE("a segment is found again however far its id has moved") {
  std::mt19937_64 random(4);
  for (const uint32_t count : {1, 5, 40, 3'000}) {
    Fixture f;
    std::vector<std::pair<uint32_t, std::string>> names;
    for (uint32_t i = 0; i < count; ++i)
      names.emplace_back(i, "s_" + std::to_string(random() % 100'000));
    std::vector<std::shared_ptr<BuiltSegments>> states = {f.Build(BatchOf(names))};
    for (const uint32_t one_in : {2, 50, 3}) {
      for (uint32_t slot = 0; slot < f.slots.size(); ++slot) {
        if (f.slots.alive(slot) && random() % one_in == 0) f.slots.Release(slot);
      }
      names.clear();
      for (uint32_t i = 0; i < count / one_in + 1; ++i)
        names.emplace_back(i, "s_" + std::to_string(random() % 100'000));
      states.push_back(f.Build(BatchOf(names)));
    }
    for (const auto& to : states) {
      for (const auto& from : states) {
        for (uint32_t id = 0; id < from->size(); ++id)
          REQUIRE(to->FindOf(*from, id) == to->Find(from->name(id)));
      }
    }
  }
}

TEST_CASE("partitions are found by way and number, disputed segments by none") {
  SegmentSlots slots;
  wire::SegmentBatch batch = BatchOf({{0, "a"}, {1, "b"}, {2, "c"}, {3, "d"}});
  constexpr uint32_t kUnknown = wire::PartitionColumn::kUnknown;
  batch.partitions = {{"k", "Murmur", 2, {0, 1, 0, kUnknown}},
                      {"k", "Murmur", 3, {kUnknown, kUnknown, kUnknown, 2}}};
  slots.Take(batch);
  const BuiltPruneIndex index(slots.facts(), {0, 1, 2, 3}, Roaring::bitmapOf(1, 2));
  const auto& ways = index.Partitionings("k");
  REQUIRE(ways.size() == 2);
  CHECK(ways[0].count == 2);
  CHECK(ways[0].ids.at(0) == Roaring::bitmapOf(1, 0));
  CHECK(ways[0].ids.at(1) == Roaring::bitmapOf(1, 1));
  CHECK(ways[1].ids.at(2) == Roaring::bitmapOf(1, 3));
  CHECK(index.Unpartitioned("k") == Roaring::bitmapOf(1, 2));
  CHECK(index.Partitionings("x").empty());
  CHECK(index.Unpartitioned("x").cardinality() == 4);
  CHECK(index.InRange("x", 1, 2).cardinality() == 4);
  CHECK(index.memory_bytes() > 0);
}

}  // namespace trellis::broker
