#include <catch2/catch.hpp>

#include "server/inventory/interned_text.h"
#include "tests/unit/server/inventory/inventory_maker.h"

namespace trellis::server {
namespace {

constexpr size_t kChunk = 4;

TEST_CASE("who has nothing, or another life's inventory, gets everything in chunks") {
  TableInfo info = InfoOf("t_OFFLINE", "{\"tableName\": \"t\"}");
  info.schema_json = "a schema";
  info.refused = "for a reason";
  info.broken = {{"torn", "cut short"}};
  TableInventory inventory(info, {});
  std::vector<InventorySegment> add;
  for (uint64_t i = 0; i < 10; ++i)
    add.push_back(Announced("s" + std::to_string(i), i, static_cast<int64_t>(100 + i)));
  const auto snapshot = inventory.Apply(std::move(add), {});
  for (const uint64_t incarnation : {uint64_t{0}, snapshot->incarnation() + 1}) {
    const auto updates = inventory.UpdatesSince(incarnation, snapshot->epoch(), kChunk);
    REQUIRE(updates.size() == 3);
    uint32_t next = 0;
    for (size_t i = 0; i < updates.size(); ++i) {
      const wire::TableUpdate& update = updates[i];
      CHECK(update.table == "t_OFFLINE");
      CHECK(update.incarnation == snapshot->incarnation());
      CHECK(update.epoch == snapshot->epoch());
      CHECK(update.base_epoch == 0);
      CHECK(update.more == (i < 2));
      CHECK_FALSE(update.gone);
      CHECK(update.dropped.isEmpty());
      CHECK(update.description.has_value() == (i == 0));
      REQUIRE(update.added.size() == (i < 2 ? kChunk : 2));
      for (size_t row = 0; row < update.added.size(); ++row, ++next) {
        CHECK(update.added.ordinals[row] == next);
        CHECK(update.added.names[row] == "s" + std::to_string(next));
        CHECK(update.added.crcs[row] == next);
        CHECK(update.added.rows[row] == 100 + next);
      }
      CHECK(update.added.time_ms == wire::ZoneColumn{});
    }
    CHECK(next == 10);
    const wire::TableDescription& description = *updates[0].description;
    CHECK(description.schema_json == "a schema");
    CHECK(description.config_json == info.config_json);
    CHECK(description.refused == "for a reason");
    REQUIRE(description.broken.size() == 1);
    CHECK(description.broken[0].name == "torn");
    CHECK(description.broken[0].broken == "cut short");
  }
}

TEST_CASE("a table without segments is described in one message") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {});
  const auto updates = inventory.UpdatesSince(0, 0, kChunk);
  REQUIRE(updates.size() == 1);
  CHECK_FALSE(updates[0].more);
  CHECK(updates[0].description.has_value());
  CHECK(updates[0].added.size() == 0);
  CHECK(updates[0].epoch == inventory.current()->epoch());
}

TEST_CASE("who has the newest is told nothing") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {});
  const auto snapshot = inventory.Apply({Announced("a")}, {});
  CHECK(inventory.UpdatesSince(snapshot->incarnation(), snapshot->epoch(), kChunk).empty());
  // Names that are not there are stepped over: nothing has changed.
  const std::vector<std::string> drop{"nothing"};
  CHECK(inventory.Apply({}, drop) == snapshot);
}

TEST_CASE("several epochs travel as one, without what came and went in between") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {});
  const auto base = inventory.Apply({Announced("a", 1), Announced("b", 2), Announced("c", 3)}, {});
  inventory.Apply({Announced("fleeting", 4), Announced("d", 5)}, {});
  const std::vector<std::string> drop{"fleeting", "b"};
  inventory.Apply({Announced("a", 6)}, drop);
  const auto now = inventory.current();
  const auto updates = inventory.UpdatesSince(base->incarnation(), base->epoch(), kChunk);
  REQUIRE(updates.size() == 1);
  const wire::TableUpdate& update = updates[0];
  CHECK(update.base_epoch == base->epoch());
  CHECK(update.epoch == now->epoch());
  CHECK_FALSE(update.description.has_value());
  CHECK(update.dropped == Roaring::bitmapOf(2, 0, 1));  // a of crc 1, and b
  CHECK(update.added.names == std::vector<std::string_view>{"d", "a"});
  CHECK(update.added.crcs == std::vector<uint64_t>{5, 6});
  CHECK_FALSE(now->Find(update.added.ordinals[0]) == nullptr);
}

TEST_CASE("a delta longer than a chunk is cut, its drops are in the first message") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {});
  const auto base = inventory.Apply({Announced("a"), Announced("b")}, {});
  std::vector<InventorySegment> add;
  for (int i = 0; i < 9; ++i) add.push_back(Announced("s" + std::to_string(i)));
  const std::vector<std::string> drop{"a"};
  inventory.Apply(std::move(add), drop, InfoOf("t_OFFLINE", "new"));
  const auto updates = inventory.UpdatesSince(base->incarnation(), base->epoch(), kChunk);
  REQUIRE(updates.size() == 3);
  CHECK(updates[0].dropped == Roaring::bitmapOf(1, 0));
  CHECK(updates[0].description->config_json == "new");
  for (size_t i = 0; i < 3; ++i) {
    CHECK(updates[i].base_epoch == base->epoch());
    CHECK(updates[i].more == (i < 2));
    if (i > 0) CHECK(updates[i].dropped.isEmpty());
  }
}

TEST_CASE("an epoch older than the deltas kept gets everything, and so does one of the future") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {.deltas_kept_max = 2});
  const auto base = inventory.Apply({Announced("a")}, {});
  const auto next = inventory.Apply({Announced("b")}, {});
  inventory.Apply({Announced("c")}, {});
  inventory.Apply({Announced("d")}, {});
  const auto since = [&](uint64_t epoch) {
    return inventory.UpdatesSince(base->incarnation(), epoch, kChunk).at(0);
  };
  CHECK(since(base->epoch()).base_epoch == 0);
  CHECK(since(base->epoch()).added.size() == 4);
  CHECK(since(next->epoch()).base_epoch == next->epoch());
  CHECK(since(next->epoch()).added.size() == 2);
  CHECK(since(inventory.current()->epoch() + 1).base_epoch == 0);
  CHECK(since(UINT64_MAX).base_epoch == 0);
}

TEST_CASE("facts travel as columns, a row each, unknown where a segment has none") {
  const std::string_view day = InternedText("day");
  const std::string_view city = InternedText("city");
  const std::string_view murmur = InternedText("Murmur");
  InventorySegment a = Announced("a");
  a.facts.start_time_ms = 1'000;
  a.facts.end_time_ms = 2'000;
  a.facts.zones = {{day, -5, 7}};
  a.facts.partitions = {{city, murmur, 8, 3}};
  InventorySegment b = Announced("b");
  InventorySegment c = Announced("c");
  c.facts.start_time_ms = 3'000;  // no end: no time range
  c.facts.zones = {{day, 8, 8}, {city, 1, 2}};
  c.facts.partitions = {{city, murmur, 16, 0}};
  TableInventory inventory(InfoOf("t_OFFLINE"), {});
  inventory.Apply({a, b, c}, {});
  const auto updates = inventory.UpdatesSince(0, 0, 100);
  REQUIRE(updates.size() == 1);
  const wire::SegmentBatch& batch = updates[0].added;
  CHECK(batch.time_ms == wire::ZoneColumn{"", {1, 0, 0}, {1'000, 0, 0}, {2'000, 0, 0}});
  REQUIRE(batch.zones.size() == 2);
  CHECK(batch.zones[0] == wire::ZoneColumn{"day", {1, 0, 1}, {-5, 0, 8}, {7, 0, 8}});
  CHECK(batch.zones[1] == wire::ZoneColumn{"city", {0, 0, 1}, {0, 0, 1}, {0, 0, 2}});
  constexpr uint32_t kUnknown = wire::PartitionColumn::kUnknown;
  REQUIRE(batch.partitions.size() == 2);
  CHECK(batch.partitions[0] == wire::PartitionColumn{"city", "Murmur", 8, {3, kUnknown, kUnknown}});
  CHECK(batch.partitions[1] ==
        wire::PartitionColumn{"city", "Murmur", 16, {kUnknown, kUnknown, 0}});
}

TEST_CASE("an update's names stay readable when its inventory is gone") {
  std::vector<wire::TableUpdate> updates;
  {
    TableInventory inventory(InfoOf("t_OFFLINE"), {});
    inventory.Apply({Announced("a name too long to be kept inside of a string object")}, {});
    updates = inventory.UpdatesSince(0, 0, 100);
  }
  CHECK(updates[0].added.names[0] == "a name too long to be kept inside of a string object");
}

}  // namespace
}  // namespace trellis::server
