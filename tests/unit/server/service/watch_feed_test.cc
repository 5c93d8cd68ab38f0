#include "server/service/watch_feed.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace trellis::server {
namespace {

TableInfo InfoOf(std::string name, std::string schema = "") {
  TableInfo info;
  info.name = std::move(name);
  info.schema_json = std::move(schema);
  return info;
}

InventorySegment SegmentOf(std::string name, uint64_t crc) {
  InventorySegment segment;
  segment.facts.name = std::move(name);
  segment.facts.crc = crc;
  segment.facts.rows = 1;
  return segment;
}

WatchFeed::Options FeedOptions(bool deltas, size_t chunk_segments) {
  return {{"known", "names"}, deltas, chunk_segments};
}

std::optional<wire::Inventory> NextOf(WatchFeed& feed, bool look) {
  auto message = feed.Next(look);
  REQUIRE(message.status().message() == "");
  if (!*message) return std::nullopt;
  auto inventory = wire::DecodeInventory(AsBytes(**message));
  REQUIRE(inventory.status().message() == "");
  return std::move(*inventory);
}

TEST_CASE("an inventory without tables is told too, once") {
  const auto inventory = std::make_shared<ServerInventory>();
  for (const bool deltas : {false, true}) {
    WatchFeed feed(inventory, FeedOptions(deltas, 10));
    const auto first = NextOf(feed, true);
    REQUIRE(first.has_value());
    CHECK(first->complete);
    CHECK(first->incarnation == inventory->incarnation());
    CHECK(first->segment_list_encodings == std::vector<std::string>{"known", "names"});
    CHECK(first->features == std::vector<std::string>{"list_chunks", "inventory_deltas"});
    CHECK(first->tables.empty());
    CHECK(first->updates.empty());
    CHECK_FALSE(NextOf(feed, false).has_value());
  }
}

TEST_CASE("messages hold about a chunk of segments, and small tables share one") {
  const auto inventory = std::make_shared<ServerInventory>();
  const auto fill = [&](const std::string& table, int count) {
    std::vector<InventorySegment> add;
    for (int i = 0; i < count; ++i) add.push_back(SegmentOf("s" + std::to_string(i), 1));
    inventory->Table(table, InfoOf(table))->Apply(std::move(add), {});
  };
  fill("a_OFFLINE", 3);
  fill("b_OFFLINE", 4);
  fill("c_OFFLINE", 25);
  fill("d_OFFLINE", 1);
  WatchFeed feed(inventory, FeedOptions(true, 10));
  std::vector<size_t> sizes;
  std::vector<bool> complete;
  for (auto message = NextOf(feed, true); message; message = NextOf(feed, false)) {
    size_t segments = 0;
    for (const wire::TableUpdate& update : message->updates) segments += update.added.size();
    sizes.push_back(segments);
    complete.push_back(message->complete);
  }
  CHECK(sizes == std::vector<size_t>{7, 10, 10, 6});
  CHECK(complete == std::vector<bool>{false, false, false, true});
  CHECK_FALSE(feed.more());
}

TEST_CASE("large descriptions do not share a message") {
  const auto inventory = std::make_shared<ServerInventory>();
  for (const char* name : {"a_OFFLINE", "b_OFFLINE", "c_OFFLINE"})
    inventory->Table(name, InfoOf(name, std::string(700'000, 'x')));
  WatchFeed feed(inventory, FeedOptions(true, 10));
  int messages = 0;
  for (auto message = NextOf(feed, true); message; message = NextOf(feed, false), ++messages)
    CHECK(message->updates.size() == 1);
  CHECK(messages == 3);
}

TEST_CASE("a change during a round is told after it") {
  const auto inventory = std::make_shared<ServerInventory>();
  const auto table = inventory->Table("t_OFFLINE", InfoOf("t_OFFLINE"));
  table->Apply({SegmentOf("a", 1), SegmentOf("b", 1), SegmentOf("c", 1)}, {});
  WatchFeed feed(inventory, FeedOptions(true, 2));
  CHECK_FALSE(NextOf(feed, true)->complete);
  table->Apply({SegmentOf("d", 1)}, {});
  const auto second = NextOf(feed, true);
  CHECK(second->complete);
  CHECK(second->updates.at(0).added.names == std::vector<std::string_view>{"c"});
  CHECK(feed.more());
  const auto third = NextOf(feed, false);
  CHECK(third->updates.at(0).added.names == std::vector<std::string_view>{"d"});
  CHECK(third->updates.at(0).base_epoch == second->updates.at(0).epoch);
  CHECK_FALSE(NextOf(feed, true).has_value());
}

TEST_CASE("a message over the limit is an error, not a message") {
  const auto inventory = std::make_shared<ServerInventory>();
  inventory->Table("t_OFFLINE", InfoOf("t_OFFLINE", std::string(70 << 20, 'x')));
  for (const bool deltas : {false, true}) {
    WatchFeed feed(inventory, FeedOptions(deltas, 10));
    CHECK(feed.Next(true).status().code() == StatusCode::kResourceExhausted);
  }
}

// What a watcher knows: a table's segments by ordinal.
using Known = std::map<std::string, std::map<uint32_t, std::pair<std::string, uint64_t>>>;

void Learn(const wire::Inventory& message, Known& known) {
  for (const wire::TableUpdate& update : message.updates) {
    if (update.gone) {
      CHECK(known.erase(update.table) == 1);
      continue;
    }
    auto& table = known[update.table];
    // The first of a full update's messages carries the description.
    if (update.base_epoch == 0 && update.description) table.clear();
    for (const uint32_t ordinal : update.dropped) CHECK(table.erase(ordinal) == 1);
    for (size_t row = 0; row < update.added.size(); ++row)
      table[update.added.ordinals[row]] = {std::string(update.added.names[row]),
                                           update.added.crcs[row]};
  }
}

Known KnownOf(const ServerInventory& inventory) {
  Known known;
  for (const auto& [name, table] : inventory.tables()) {
    auto& segments = known[name];
    const auto snapshot = table->current();
    for (const uint32_t ordinal : snapshot->alive()) {
      const SegmentFacts& facts = snapshot->Find(ordinal)->facts;
      segments[ordinal] = {facts.name, facts.crc};
    }
  }
  return known;
}

TEST_CASE("property: whoever has read everything knows the inventory, whenever they read") {
  const auto seed = GENERATE(range(1, 31));
  INFO("seed " << seed);
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  const auto inventory = std::make_shared<ServerInventory>(
      TableInventory::Options{.deltas_kept_max = 5, .rebase_ordinals_min = 20});
  struct Reader {
    std::unique_ptr<WatchFeed> feed;
    Known known;
    bool complete = false;  // said the last message
    void Read(const wire::Inventory& message) {
      Learn(message, known);
      complete = message.complete;
    }
  };
  std::vector<Reader> readers;
  for (int i = 0; i < 3; ++i)
    readers.push_back(
        {std::make_unique<WatchFeed>(inventory, FeedOptions(true, 1 + random() % 8)), {}});
  for (int round = 0; round < 80; ++round) {
    const std::string name = std::string(1, static_cast<char>('a' + random() % 4)) + "_OFFLINE";
    if (random() % 8 == 0) {
      inventory->Remove(name);
    } else {
      std::vector<InventorySegment> add;
      std::vector<std::string> drop;
      for (size_t i = random() % 8; i > 0; --i)
        add.push_back(SegmentOf("s" + std::to_string(random() % 30), random()));
      for (size_t i = random() % 8; i > 0; --i) drop.push_back("s" + std::to_string(random() % 30));
      inventory->Table(name, InfoOf(name))->Apply(std::move(add), drop);
    }
    for (Reader& reader : readers) {
      for (size_t messages = random() % 6; messages > 0; --messages) {
        const auto message = NextOf(*reader.feed, random() % 2 == 0);
        if (message) reader.Read(*message);
      }
    }
  }
  for (Reader& reader : readers) {
    for (auto message = NextOf(*reader.feed, true); message; message = NextOf(*reader.feed, false))
      reader.Read(*message);
    CHECK(reader.complete);
    CHECK(reader.known == KnownOf(*inventory));
  }
}

}  // namespace
}  // namespace trellis::server
