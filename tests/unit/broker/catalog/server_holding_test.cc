#include "broker/catalog/server_holding.h"

#include <catch2/catch.hpp>

#include "tests/unit/broker/catalog/announced.h"

namespace trellis::broker {
namespace {

struct Fixture {
  SegmentSlots slots;
  ServerHolding holding;

  // Ids of slots as a snapshot would have them: by name.
  std::shared_ptr<const ServerPart> Part(size_t ids_more = 0) {
    slots.RefreshOrder();
    const auto numbering = slots.Number();
    return holding.Build(3, numbering.slots.size() + ids_more, numbering.id_of_slot);
  }
};

}  // namespace

TEST_CASE("what is held is told when an update is whole") {
  Fixture f;
  CHECK_FALSE(f.holding.told());
  wire::TableUpdate first = FullUpdate(7, 2, BatchOf({{4, "b"}}));
  first.more = true;
  REQUIRE(f.holding.Apply(first, f.slots).ok());
  CHECK(f.holding.pending());
  CHECK_FALSE(f.holding.told());
  CHECK(f.slots.alive_count() == 0);
  wire::TableUpdate second = FullUpdate(7, 2, BatchOf({{1, "a"}}));  // ordinals in any order
  second.description.reset();
  REQUIRE(f.holding.Apply(second, f.slots).ok());
  CHECK(f.holding.told());
  CHECK(f.holding.size() == 2);
  CHECK(f.slots.alive_count() == 2);
  CHECK(f.holding.description().schema_json == kAnnouncedSchema);
  const auto part = f.Part();
  CHECK(part->server == 3);
  CHECK(part->epoch == 2);
  CHECK(part->ordinals == std::vector<uint32_t>{1, 4});
}

TEST_CASE("parts are the same whether ids are sorted or swept") {
  Fixture f;
  std::vector<std::pair<uint32_t, std::string>> names;
  for (uint32_t i = 0; i < 300; ++i) names.emplace_back(i, "s_" + std::to_string((i * 7) % 300));
  REQUIRE(f.holding.Apply(FullUpdate(7, 1, BatchOf(names)), f.slots).ok());
  const auto swept = f.Part();
  const auto sorted = f.Part(100'000);  // a small share of many segments
  CHECK(swept->ids == sorted->ids);
  CHECK(swept->ordinals == sorted->ordinals);
  CHECK(swept->held == sorted->held);
  REQUIRE(swept->ids.size() == 300);
  CHECK(swept->ids.back() == 299);
  CHECK(swept->ordinals.at(7) == 1);
}

TEST_CASE("ordinals that fill gaps are taken, and dropped ones forgotten") {
  Fixture f;
  REQUIRE(f.holding.Apply(FullUpdate(7, 1, BatchOf({{0, "a"}, {9, "z"}})), f.slots).ok());
  REQUIRE(f.holding.Apply(DeltaUpdate(7, 1, 2, BatchOf({{5, "m"}})), f.slots).ok());
  CHECK(f.Part()->ordinals == std::vector<uint32_t>{0, 5, 9});
  for (uint64_t epoch = 2; epoch < 3'000; ++epoch) {
    const auto last = static_cast<uint32_t>(epoch + 7);
    Roaring dropped;
    dropped.add(last);
    const auto update = DeltaUpdate(7, epoch, epoch + 1, BatchOf({{last + 1, "z"}}), dropped);
    REQUIRE(f.holding.Apply(update, f.slots).ok());
  }
  CHECK(f.Part()->ordinals == std::vector<uint32_t>{0, 5, 3'007});
  CHECK(f.holding.memory_bytes() < 64 * 1'024);
}

TEST_CASE("a full update lets go of what it does not tell again") {
  Fixture f;
  REQUIRE(f.holding.Apply(FullUpdate(7, 1, BatchOf({{0, "a"}, {1, "b"}})), f.slots).ok());
  const uint64_t version = f.holding.version();
  REQUIRE(f.holding.Apply(FullUpdate(8, 1, BatchOf({{0, "b"}, {1, "c"}})), f.slots).ok());
  CHECK(f.holding.version() > version);
  CHECK(f.slots.alive_count() == 2);
  CHECK_FALSE(f.slots.Readable("a"));
  CHECK(f.Part()->incarnation == 8);
  f.holding.Clear(f.slots);
  CHECK(f.slots.alive_count() == 0);
  CHECK_FALSE(f.holding.told());
}

TEST_CASE("two of one name with different data: the younger ordinal counts") {
  Fixture f;
  wire::SegmentBatch batch = BatchOf({{0, "a"}, {1, "b"}});
  REQUIRE(f.holding.Apply(FullUpdate(7, 1, batch), f.slots).ok());
  REQUIRE(f.holding.Apply(DeltaUpdate(7, 1, 2, BatchOf({{2, "a"}}, 5)), f.slots).ok());
  for (const size_t more : {size_t{0}, size_t{10'000}}) {
    const auto part = f.Part(more);
    CHECK(part->ids == std::vector<uint32_t>{0, 1});
    CHECK(part->ordinals == std::vector<uint32_t>{2, 1});
  }
}

TEST_CASE("a whole inventory has no ordinals, and no delta follows it") {
  Fixture f;
  wire::SegmentBatch batch = BatchOf({{0, "b"}, {1, "a"}, {2, "a"}});
  batch.ordinals.clear();
  f.holding.Replace(batch, {kAnnouncedSchema, "", "", {}}, f.slots);
  CHECK(f.holding.told());
  CHECK_FALSE(f.holding.numbered());
  const auto part = f.Part();
  CHECK(part->ids == std::vector<uint32_t>{0, 1});
  CHECK(part->ordinals.empty());
  CHECK(f.holding.Apply(DeltaUpdate(0, 0, 1, {}), f.slots).ok());  // base 0: full
  f.holding.Replace(batch, {}, f.slots);
  CHECK_FALSE(f.holding.Apply(DeltaUpdate(7, 1, 2, {}), f.slots).ok());
}

TEST_CASE("slots may be given other numbers") {
  Fixture f;
  REQUIRE(f.holding.Apply(FullUpdate(7, 1, BatchOf({{0, "a"}, {1, "b"}, {2, "c"}})), f.slots).ok());
  REQUIRE(f.holding.Apply(DeltaUpdate(7, 1, 2, {}, Roaring::bitmapOf(1, 1)), f.slots).ok());
  f.slots.RefreshOrder();
  std::vector<uint32_t> new_slot;
  const auto compact = f.slots.Compact(new_slot);
  f.holding.Renumber(new_slot);
  const auto numbering = compact->Number();
  const auto part = f.holding.Build(0, numbering.slots.size(), numbering.id_of_slot);
  CHECK(part->ids == std::vector<uint32_t>{0, 1});
  CHECK(part->ordinals == std::vector<uint32_t>{0, 2});
}

}  // namespace trellis::broker
