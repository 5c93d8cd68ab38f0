#include "broker/catalog/segment_slots.h"

#include <catch2/catch.hpp>

#include "tests/unit/broker/catalog/announced.h"

namespace trellis::broker {
namespace {

using Slots = std::vector<uint32_t>;

std::vector<std::string> Order(const SegmentSlots& slots) {
  std::vector<std::string> names;
  for (const uint32_t slot : slots.Number().slots) names.emplace_back(slots.names().name(slot));
  return names;
}

}  // namespace

TEST_CASE("a segment that is told of again has its slot again") {
  SegmentSlots slots;
  CHECK(slots.Take(BatchOf({{0, "a"}, {1, "b"}})) == Slots{0, 1});
  CHECK(slots.Take(BatchOf({{0, "b"}, {1, "c"}, {2, "a"}})) == Slots{1, 2, 0});
  CHECK(slots.Take(BatchOf({{0, "b"}}, 77)) == Slots{3});  // other data
  CHECK(slots.Take(BatchOf({{0, "b"}}, 77)) == Slots{3});
  CHECK(slots.Take(BatchOf({{0, "b"}})) == Slots{1});
  CHECK(slots.Take(BatchOf({{0, "d"}, {1, "d"}})) == Slots{4, 4});
  CHECK(slots.size() == 5);
  CHECK(slots.alive_count() == 0);
}

TEST_CASE("slots are alive while someone holds them, and only those are in order") {
  SegmentSlots slots;
  slots.Take(BatchOf({{0, "s_10"}, {1, "s_9"}, {2, "s_1"}}));
  CHECK_FALSE(slots.RefreshOrder());
  slots.Hold(0);
  slots.Hold(0);
  slots.Hold(2);
  CHECK(slots.RefreshOrder());
  CHECK(Order(slots) == std::vector<std::string>{"s_1", "s_10"});
  CHECK_FALSE(slots.RefreshOrder());
  slots.Release(0);
  CHECK_FALSE(slots.RefreshOrder());
  CHECK(slots.Readable("s_10"));
  slots.Release(0);
  slots.Hold(1);
  CHECK_FALSE(slots.Readable("s_10"));
  CHECK_FALSE(slots.Readable("unknown"));
  CHECK(slots.RefreshOrder());
  CHECK(Order(slots) == std::vector<std::string>{"s_1", "s_9"});
  // Let go and taken again between two looks: nothing has changed.
  slots.Release(1);
  slots.Hold(1);
  CHECK_FALSE(slots.RefreshOrder());
  slots.Hold(0);
  CHECK(slots.RefreshOrder());
  CHECK(Order(slots) == std::vector<std::string>{"s_1", "s_9", "s_10"});
  const auto numbering = slots.Number();
  CHECK(numbering.id_of_slot == Slots{2, 1, 0});
  CHECK(numbering.disputed.isEmpty());
}

TEST_CASE("slots of one name are one id, disputed where their data differ") {
  SegmentSlots slots;
  slots.Take(BatchOf({{0, "a"}, {1, "b"}, {2, "c"}}));
  slots.Take(BatchOf({{0, "b"}}, 2));
  for (uint32_t slot = 0; slot < 4; ++slot) slots.Hold(slot);
  slots.RefreshOrder();
  const auto numbering = slots.Number();
  CHECK(numbering.slots == Slots{0, 3, 2});
  CHECK(numbering.id_of_slot == Slots{0, 1, 2, 1});
  CHECK(numbering.disputed == Roaring::bitmapOf(1, 1));
  slots.Release(3);
  slots.RefreshOrder();
  CHECK(slots.Number().slots == Slots{0, 1, 2});
  CHECK(slots.Number().disputed.isEmpty());
  CHECK(slots.Readable("b"));  // by its older slot
}

TEST_CASE("compaction keeps what is alive, twins included") {
  SegmentSlots slots;
  std::vector<std::pair<uint32_t, std::string>> names;
  for (uint32_t i = 0; i < 1'000; ++i) names.emplace_back(i, "s_" + std::to_string(i));
  slots.Take(BatchOf(names));
  slots.Take(BatchOf({{0, "s_500"}}, 2, 33));
  for (uint32_t slot = 100; slot <= 1'000; slot += 100) slots.Hold(slot);
  slots.Hold(500);
  slots.RefreshOrder();
  const auto before = Order(slots);
  Slots new_slot;
  const auto compact = slots.Compact(new_slot);
  CHECK(compact->size() == 10);
  CHECK(compact->alive_count() == 10);
  CHECK_FALSE(compact->RefreshOrder());
  CHECK(Order(*compact) == before);
  CHECK(compact->Number().disputed.cardinality() == 1);
  CHECK(new_slot[101] == SegmentSlots::kNone);
  CHECK(compact->names().name(new_slot[300]) == "s_300");
  CHECK(compact->facts().rows(new_slot[1'000]) == 33);
  CHECK(compact->Take(BatchOf({{0, "s_300"}})) == Slots{new_slot[300]});
  CHECK(compact->Take(BatchOf({{0, "s_500"}}, 2, 33)) == Slots{new_slot[1'000]});
  CHECK(compact->Take(BatchOf({{0, "s_101"}})) == Slots{10});
}

}  // namespace trellis::broker
