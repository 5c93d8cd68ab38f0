#include "server/inventory/slot_table.h"

#include "tests/unit/server/inventory/inventory_maker.h"

namespace trellis::server {
namespace {

TEST_CASE("ordinals count up, and what was dropped is not found") {
  SlotTable table;
  CHECK(table.Find(0) == nullptr);
  for (uint32_t i = 0; i < 3 * SlotTable::kPageSlots + 5; ++i) {
    const Slot* slot = table.Append(Opened("s" + std::to_string(i), i));
    CHECK(slot->ordinal == i);
    CHECK(table.Find(i) == slot);
  }
  const uint32_t end = table.ordinals_end();
  REQUIRE(end == 3 * SlotTable::kPageSlots + 5);
  CHECK(table.Find(end) == nullptr);
  CHECK(table.Share(end) == nullptr);
  Roaring drop;
  for (const uint32_t ordinal : {0u, 7u, 300u, end - 1}) drop.add(ordinal);
  table.Drop(drop);
  for (uint32_t i = 0; i < end; ++i) {
    uint32_t rows = 0;
    const segment::Segment* const open = table.FindOpen(i, rows);
    if (drop.contains(i)) {
      CHECK(table.Find(i) == nullptr);
      CHECK(open == nullptr);
    } else {
      REQUIRE(table.Find(i) != nullptr);
      CHECK(table.Find(i)->segment.facts.name == "s" + std::to_string(i));
      CHECK(open == table.Find(i)->segment.segment.get());
      CHECK(rows == 1'000);
    }
  }
}

TEST_CASE("a copy keeps what it saw when the newest grows and drops, and shares the rest") {
  SlotTable table;
  for (int i = 0; i < 1'000; ++i) table.Append(Announced("s" + std::to_string(i)));
  const SlotTable before = table;
  Roaring drop;
  drop.add(500);
  table.Drop(drop);
  for (int i = 0; i < 100; ++i) table.Append(Announced("late"));
  CHECK(before.ordinals_end() == 1'000);
  CHECK(before.Find(500)->segment.facts.name == "s500");
  CHECK(before.Find(1'000) == nullptr);
  CHECK(table.Find(1'000)->segment.facts.name == "late");
  CHECK(table.Find(499) == before.Find(499));
}

TEST_CASE("a dropped segment is let go of with the last table that has it") {
  std::weak_ptr<const Slot> dropped;
  SlotTable table;
  for (int i = 0; i < 10; ++i) table.Append(Announced("s"));
  {
    const SlotTable before = table;
    dropped = table.Share(3);
    Roaring drop;
    drop.add(3);
    table.Drop(drop);
    CHECK_FALSE(dropped.expired());
  }
  CHECK(dropped.expired());
}

TEST_CASE("every ordinal of a bitmap is visited once, in order") {
  Roaring ordinals;
  ordinals.addRange(0, 1'500);
  ordinals.add(70'000);
  ordinals.addRange(200'000, 200'513);
  ordinals.runOptimize();
  std::vector<uint32_t> expected(ordinals.cardinality());
  ordinals.toUint32Array(expected.data());
  std::vector<uint32_t> visited;
  ForEachOrdinal(ordinals, [&](uint32_t ordinal) { visited.push_back(ordinal); });
  CHECK(visited == expected);
  ForEachOrdinal(Roaring(), [](uint32_t) { FAIL("there is none"); });
}

}  // namespace
}  // namespace trellis::server
