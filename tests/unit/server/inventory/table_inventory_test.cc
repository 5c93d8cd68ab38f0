#include "server/inventory/table_inventory.h"

#include <map>
#include <thread>

#include "tests/unit/server/inventory/inventory_maker.h"

namespace trellis::server {
namespace {

using namespace std::chrono_literals;

TEST_CASE("ordinals follow the natural order of the first names, later ones come behind") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {});
  CHECK(inventory.current()->size() == 0);
  const auto first = inventory.Apply(
      {Announced("e_10", 1, 5), Announced("e_9", 2, 6), Announced("e_100", 3, 7)}, {});
  CHECK(NamesOf(*first) == std::vector<std::string>{"e_9", "e_10", "e_100"});
  CHECK(first->documents_total() == 18);
  const auto second = inventory.Apply({Announced("e_12"), Announced("e_1"), Announced("e_2")}, {});
  CHECK(NamesOf(*second) == std::vector<std::string>{"e_9", "e_10", "e_100", "e_1", "e_2", "e_12"});
  CHECK(second->epoch() == first->epoch() + 1);
  CHECK(second->incarnation() == first->incarnation());
  CHECK(NamesOf(*first).size() == 3);
}

TEST_CASE("a name that is there, or added and dropped at once, is replaced by a new ordinal") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {});
  const auto first = inventory.Apply({Announced("a", 1), Announced("b", 2)}, {});
  const std::vector<std::string> drop{"b", "b", "not there"};
  const auto second = inventory.Apply({Announced("a", 3), Announced("b", 4)}, drop);
  CHECK(second->alive() == Roaring::bitmapOf(2, 2, 3));
  CHECK(second->Find(2)->facts.crc == 3);
  CHECK(second->Find(0) == nullptr);
  CHECK(second->documents_total() == 20);
  CHECK(first->Find(0)->facts.crc == 1);
  const auto third = inventory.Apply({Announced("c", 5), Announced("c", 6), Announced("d", 7)}, {});
  CHECK(NamesOf(*third) == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(third->Find(4)->facts.crc == 6);  // of two of one name the last counts
}

TEST_CASE("a new description is a new epoch with the same segments") {
  TableInventory inventory(InfoOf("t_OFFLINE", "old"), {});
  const auto first = inventory.Apply({Announced("a")}, {});
  const auto second = inventory.Apply({}, {}, InfoOf("t_OFFLINE", "new"));
  CHECK(second->epoch() == first->epoch() + 1);
  CHECK(second->info().config_json == "new");
  CHECK(first->info().config_json == "old");
  CHECK(second->Find(0) == first->Find(0));
}

TEST_CASE("an inventory that has grown sparse is numbered anew, under a new incarnation") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {.rebase_ordinals_min = 8});
  std::vector<InventorySegment> add;
  for (int i = 0; i < 10; ++i) add.push_back(Announced("s_" + std::to_string(i)));
  const auto first = inventory.Apply(std::move(add), {});
  const std::vector<std::string> half{"s_0", "s_1", "s_2", "s_3", "s_4"};
  const auto second = inventory.Apply({}, half);
  CHECK(second->incarnation() == first->incarnation());
  const std::vector<std::string> more{"s_5"};
  const auto third = inventory.Apply({Announced("s_10")}, more);
  CHECK(third->incarnation() != first->incarnation());  // 5 of 11 are fewer than half
  CHECK(third->epoch() == second->epoch() + 1);
  CHECK(NamesOf(*third) == std::vector<std::string>{"s_6", "s_7", "s_8", "s_9", "s_10"});
  CHECK(third->alive().maximum() == 4);
  CHECK(second->Find(9)->facts.name == "s_9");  // as it was for those who hold it
  const Resolution old = inventory.ResolveKnown(ListOf(*second, Roaring::bitmapOf(1, 9)));
  CHECK(old.stale);
  const auto updates = inventory.UpdatesSince(second->incarnation(), second->epoch(), 100);
  CHECK(updates.at(0).base_epoch == 0);
}

TEST_CASE("before it is sparse, or while it is small, an inventory keeps its numbers") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {.rebase_ordinals_min = 8});
  const auto first = inventory.Apply({Announced("a"), Announced("b")}, {});
  const std::vector<std::string> drop{"a", "b"};
  const auto second = inventory.Apply({}, drop);
  CHECK(second->incarnation() == first->incarnation());
  CHECK(second->size() == 0);
}

TEST_CASE("memory counts what segments take, and less after they went") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {.rebase_ordinals_min = 1'000'000});
  const size_t empty = inventory.memory_bytes();
  std::vector<InventorySegment> add;
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; ++i) {
    names.push_back("events_OFFLINE_2020-01-01_2020-01-02_" + std::to_string(i));
    add.push_back(Announced(names.back()));
  }
  inventory.Apply(std::move(add), {});
  const size_t full = inventory.memory_bytes();
  CHECK(full - empty > 10'000 * (sizeof(InventorySegment) + 37));
  CHECK(full - empty < 10'000 * 500);
  inventory.Apply({}, names);
  CHECK(inventory.memory_bytes() < full / 2);
}

// What one watcher, or the test itself, knows of a table: an ordinal's name and crc.
using Known = std::map<uint32_t, std::pair<std::string, uint64_t>>;

Known KnownOf(const InventorySnapshot& snapshot) {
  Known known;
  for (const uint32_t ordinal : snapshot.alive()) {
    const InventorySegment* segment = snapshot.Find(ordinal);
    REQUIRE(segment != nullptr);
    known[ordinal] = {segment->facts.name, segment->facts.crc};
  }
  return known;
}

struct Watcher {
  uint64_t incarnation = 0;
  uint64_t epoch = 0;
  Known known;

  void Follow(const TableInventory& inventory, size_t chunk) {
    bool more = false;
    for (const wire::TableUpdate& update : inventory.UpdatesSince(incarnation, epoch, chunk)) {
      CHECK(update.added.size() <= chunk);
      if (!more && update.base_epoch == 0) known.clear();
      if (update.base_epoch != 0) {
        CHECK(update.incarnation == incarnation);
        CHECK(update.base_epoch == epoch);
      }
      for (const uint32_t ordinal : update.dropped) CHECK(known.erase(ordinal) == 1);
      for (size_t row = 0; row < update.added.size(); ++row) {
        const bool fresh =
            known
                .emplace(update.added.ordinals[row],
                         std::pair(std::string(update.added.names[row]), update.added.crcs[row]))
                .second;
        CHECK(fresh);
      }
      more = update.more;
      if (more) continue;
      incarnation = update.incarnation;
      epoch = update.epoch;
    }
    CHECK_FALSE(more);
  }
};

// Random changes against a plain map of names.
struct RandomTable {
  explicit RandomTable(uint64_t seed)
      : random(seed),
        inventory(InfoOf("t_OFFLINE"), {.snapshots_kept_max = 1 + random() % 12,
                                        .snapshots_kept_ms = 1h,
                                        .deltas_kept_max = 1 + random() % 12,
                                        .rebase_ordinals_min = 1 + random() % 200}) {}

  std::string AnyName() { return "s_" + std::to_string(random() % 120); }
  void Change() {
    std::vector<InventorySegment> add;
    std::vector<std::string> drop;
    const size_t adds = random() % 4 == 0 ? random() % 60 : random() % 4;
    const size_t drops = random() % 6 == 0 ? random() % 100 : random() % 4;
    std::map<std::string, uint64_t> next = names;
    for (size_t i = 0; i < drops; ++i) {
      drop.push_back(AnyName());
      next.erase(drop.back());
    }
    for (size_t i = 0; i < adds; ++i) {
      add.push_back(Opened(AnyName(), ++crc));
      next[add.back().facts.name] = crc;
    }
    const auto before = inventory.current();
    after = inventory.Apply(std::move(add), drop);
    names = std::move(next);
    CheckAgainst(*before);
  }
  // The right names, and ordinals that are never used again.
  void CheckAgainst(const InventorySnapshot& before) {
    std::map<std::string, uint64_t> held;
    for (const auto& [ordinal, segment] : KnownOf(*after)) held.insert(segment);
    CHECK(held == names);
    CHECK(after->size() == names.size());
    if (after->incarnation() != before.incarnation()) {
      given_out.clear();
    } else {
      for (const auto& [ordinal, segment] : KnownOf(before))
        if (after->Find(ordinal)) CHECK(KnownOf(*after).at(ordinal) == segment);
    }
    for (const auto& [ordinal, segment] : KnownOf(*after)) {
      const auto [known, fresh] = given_out.emplace(ordinal, segment);
      CHECK(known->second == segment);
    }
    CHECK(after == inventory.current());
  }

  std::mt19937_64 random;
  TableInventory inventory;
  std::map<std::string, uint64_t> names;
  uint64_t crc = 0;
  std::shared_ptr<const InventorySnapshot> after;
  Known given_out;  // in this incarnation
};

Roaring RandomPart(const Roaring& all, std::mt19937_64& random) {
  Roaring part;
  const uint64_t of_ten = random() % 11;
  for (const uint32_t ordinal : all)
    if (random() % 10 < of_ten) part.add(ordinal);
  return part;
}

// A list of a snapshot that is kept resolves to exactly what it means; others as they can.
void CheckLists(RandomTable& table, const InventorySnapshot& then, bool kept) {
  const bool rebased = then.incarnation() != table.after->incarnation();
  const Roaring part = RandomPart(then.alive(), table.random);
  for (const bool all_but : {false, true}) {
    const Resolution resolution = table.inventory.ResolveKnown(ListOf(then, part, all_but));
    if (rebased || (all_but && !kept)) {
      CHECK(resolution.stale);
      continue;
    }
    REQUIRE_FALSE(resolution.stale);
    const Roaring meant = all_but ? then.alive() - part : part;
    const Roaring missing = kept ? Roaring() : meant - table.after->alive();
    CHECK(resolution.missing_ordinals == missing);
    std::vector<const segment::Segment*> expected;
    for (const uint32_t ordinal : meant - missing)
      expected.push_back(then.Find(ordinal)->segment.get());
    const auto chosen = resolution.selection.segments();
    CHECK(std::equal(chosen.begin(), chosen.end(), expected.begin(), expected.end()));
    CHECK(resolution.selection.documents_total ==
          static_cast<int64_t>(expected.size()) * int64_t{1'000});
  }
}

TEST_CASE("property: watchers at any epoch end with the inventory, kept lists mean what they say") {
  const auto seed = GENERATE(range(1, 61));
  INFO("seed " << seed);
  RandomTable table(static_cast<uint64_t>(seed));
  std::vector<Watcher> watchers(4);
  std::vector<std::shared_ptr<const InventorySnapshot>> past;
  for (int round = 0; round < 60; ++round) {
    past.push_back(table.inventory.current());
    table.Change();
    for (Watcher& watcher : watchers) {
      if (table.random() % 4 != 0) continue;
      watcher.Follow(table.inventory, 1 + table.random() % 40);
      CHECK(watcher.known == KnownOf(*table.after));
      CHECK(watcher.epoch == table.after->epoch());
    }
    const auto& then = *past[table.random() % past.size()];
    // Whether a snapshot is kept shows in its list of everything.
    const bool kept = !table.inventory.ResolveKnown(ListOf(then, Roaring(), true)).stale;
    const bool of_now = then.incarnation() == table.after->incarnation();
    if (of_now && then.epoch() == table.after->epoch()) CHECK(kept);
    CheckLists(table, then, kept);
  }
}

TEST_CASE("property: names resolve to one moment's segments while the inventory changes") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {.snapshots_kept_ms = 1h});
  // Each round replaces both, so a resolution of one moment has two of the same crc; a name dropped
  // a moment ago is found, so none is ever missing.
  inventory.Apply({Opened("a", 0), Opened("b", 0)}, {});
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (uint64_t crc = 1; !stop; ++crc) inventory.Apply({Opened("a", crc), Opened("b", crc)}, {});
  });
  const std::vector<std::string_view> names{"a", "b"};
  size_t torn = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Resolution resolution = inventory.ResolveNames(names).value();
    const auto chosen = resolution.selection.segments();
    torn += chosen.size() != 2 || chosen[0] != chosen[1];
  }
  stop = true;
  changer.join();
  CHECK(torn == 0);
}

}  // namespace
}  // namespace trellis::server
