#include <catch2/catch.hpp>
#include <thread>

#include "tests/unit/server/inventory/inventory_maker.h"

namespace trellis::server {
namespace {

using namespace std::chrono_literals;

const segment::Segment* Open(uint64_t crc) {
  return OpenSegments()[crc % OpenSegments().size()].get();
}

std::vector<const segment::Segment*> Chosen(const Resolution& resolution) {
  const auto segments = resolution.selection.segments();
  return {segments.begin(), segments.end()};
}

// s0 ... s9 with files 0 ... 9.
struct TenSegments {
  explicit TenSegments(const TableInventory::Options& options = {})
      : inventory(InfoOf("t_OFFLINE"), options) {
    std::vector<InventorySegment> add;
    for (uint64_t i = 0; i < 10; ++i) add.push_back(Opened("s" + std::to_string(i), i));
    first = inventory.Apply(std::move(add), {});
  }
  void Drop(std::vector<std::string> names) { inventory.Apply({}, names); }
  Resolution Names(const std::vector<std::string_view>& names) {
    return inventory.ResolveNames(names).value();
  }
  TableInventory inventory;
  std::shared_ptr<const InventorySnapshot> first;
};

TEST_CASE("a list of everything resolves to the snapshot's own segments") {
  TenSegments ten;
  const Resolution all = ten.inventory.ResolveKnown(ListOf(*ten.first, Roaring(), true));
  REQUIRE_FALSE(all.stale);
  CHECK(all.selection.segments().data() == ten.first->segments().data());
  CHECK(all.selection.segments().size() == 10);
  CHECK(all.selection.documents_total == 10'000);
  CHECK(all.selection.pin == ten.first);
  CHECK(all.missing_ordinals.isEmpty());
}

TEST_CASE("ordinals and all but ordinals resolve in ordinal order") {
  TenSegments ten;
  const Resolution some =
      ten.inventory.ResolveKnown(ListOf(*ten.first, Roaring::bitmapOf(3, 1, 4, 9)));
  CHECK(Chosen(some) == std::vector{Open(1), Open(4), Open(9)});
  CHECK(some.selection.documents_total == 3'000);
  const Resolution rest = ten.inventory.ResolveKnown(
      ListOf(*ten.first, Roaring::bitmapOf(8, 0, 1, 2, 3, 4, 5, 6, 9), true));
  CHECK(Chosen(rest) == std::vector{Open(7), Open(8)});
  const Resolution none = ten.inventory.ResolveKnown(ListOf(*ten.first, Roaring()));
  CHECK_FALSE(none.stale);
  CHECK(none.selection.segments().empty());
}

TEST_CASE("a list of an earlier epoch finds what it means, dropped segments included") {
  TenSegments ten;
  ten.Drop({"s4"});
  ten.inventory.Apply({Opened("s10", 10)}, {});
  const Resolution then = ten.inventory.ResolveKnown(ListOf(*ten.first, Roaring(), true));
  CHECK(Chosen(then).size() == 10);
  CHECK(Chosen(then)[4] == Open(4));
  const Resolution now =
      ten.inventory.ResolveKnown(ListOf(*ten.inventory.current(), Roaring(), true));
  CHECK(Chosen(now).size() == 10);
  CHECK(Chosen(now)[9] == Open(10));
  // Ordinal 10 was not there yet at the first epoch.
  CHECK(ten.inventory.ResolveKnown(ListOf(*ten.first, Roaring::bitmapOf(1, 10))).stale);
}

TEST_CASE("of an epoch not kept, ordinals resolve against today's and all-but is stale") {
  TenSegments ten({.snapshots_kept_max = 1});
  ten.Drop({"s4"});
  ten.inventory.Apply({Opened("s10", 10)}, {});
  const Resolution some =
      ten.inventory.ResolveKnown(ListOf(*ten.first, Roaring::bitmapOf(2, 3, 4)));
  REQUIRE_FALSE(some.stale);
  CHECK(Chosen(some) == std::vector{Open(3)});
  CHECK(some.missing_ordinals == Roaring::bitmapOf(1, 4));
  CHECK(ten.inventory.ResolveKnown(ListOf(*ten.first, Roaring(), true)).stale);
  CHECK(ten.inventory.ResolveKnown(ListOf(*ten.first, Roaring::bitmapOf(1, 4), true)).stale);
}

TEST_CASE(
    "lists of another life, of the future, of unknown ordinals or of another count are stale") {
  TenSegments ten;
  const auto stale = [&](auto&& change, Roaring ordinals, bool all_but) {
    wire::KnownSegments list = ListOf(*ten.first, std::move(ordinals), all_but);
    CHECK_FALSE(ten.inventory.ResolveKnown(list).stale);
    change(list);
    return ten.inventory.ResolveKnown(list).stale;
  };
  for (const bool all_but : {false, true}) {
    INFO("all_but " << all_but);
    const Roaring some = Roaring::bitmapOf(2, 3, 4);
    CHECK(stale([](auto& list) { ++list.incarnation; }, some, all_but));
    CHECK(stale([](auto& list) { list.incarnation = 0; }, some, all_but));
    CHECK(stale([](auto& list) { ++list.epoch; }, some, all_but));
    CHECK(stale([](auto& list) { list.epoch = UINT64_MAX; }, some, all_but));
    CHECK(stale([](auto& list) { ++list.count; }, some, all_but));
    CHECK(stale([](auto& list) { list.count = 0; }, some, all_but));
    CHECK(stale([](auto& list) { list.ordinals.add(10); }, some, all_but));
    CHECK(stale([](auto& list) { list.ordinals.add(UINT32_MAX); }, some, all_but));
    CHECK(stale([](auto& list) { list.ordinals.addRange(0, uint64_t{1} << 32); }, some, all_but));
  }
  CHECK(stale([](auto& list) { ++list.count; }, Roaring(), true));
}

TEST_CASE("segments without files are missing from every list") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {});
  const auto snapshot =
      inventory.Apply({Announced("a"), Opened("b", 2), Announced("c"), Opened("d", 3)}, {});
  const Resolution all = inventory.ResolveKnown(ListOf(*snapshot, Roaring(), true));
  CHECK(Chosen(all) == std::vector{Open(2), Open(3)});
  CHECK(all.missing_ordinals == Roaring::bitmapOf(2, 0, 2));
  CHECK(all.selection.documents_total == 2'000);
  const Resolution some = inventory.ResolveKnown(ListOf(*snapshot, Roaring::bitmapOf(2, 0, 1)));
  CHECK(Chosen(some) == std::vector{Open(2)});
  CHECK(some.missing_ordinals == Roaring::bitmapOf(1, 0));
  const std::vector<std::string_view> names{"c", "d"};
  const Resolution named = inventory.ResolveNames(names).value();
  CHECK(named.missing == std::vector<std::string>{"c"});
  CHECK(Chosen(named) == std::vector{Open(3)});
}

TEST_CASE("names resolve in their order; missing and broken ones are told apart") {
  TenSegments ten;
  TableInfo info = InfoOf("t_OFFLINE");
  info.broken = {{"torn", "cut short"}, {"s3", "not looked at: it is there"}};
  ten.inventory.Apply({}, {}, info);
  const Resolution resolution = ten.Names({"s7", "gone", "s3", "torn", "", "s8"});
  CHECK(Chosen(resolution) == std::vector{Open(7), Open(3), Open(8)});
  CHECK(resolution.selection.documents_total == 3'000);
  CHECK(resolution.missing == std::vector<std::string>{"gone", ""});
  REQUIRE(resolution.broken.size() == 1);
  CHECK(resolution.broken[0].reason == "cut short");
  CHECK(resolution.selection.pin != nullptr);
}

TEST_CASE(
    "a name that comes twice is refused, of a segment that is there, was there or never was") {
  TenSegments ten;
  TableInfo info = InfoOf("t_OFFLINE");
  info.broken = {{"torn", "cut short"}};
  ten.inventory.Apply({}, {}, info);
  ten.Drop({"s5"});
  // So many ordinals that a short list keeps a set of them.
  std::vector<InventorySegment> many;
  for (int i = 0; i < 2'000; ++i) many.push_back(Announced("many_" + std::to_string(i)));
  for (const bool short_list : {false, true}) {
    INFO("short list " << short_list);
    if (short_list) ten.inventory.Apply(many, {});
    for (const std::string_view twice : {"s0", "s9", "s5", "torn", "gone", ""}) {
      const std::vector<std::string_view> names{"s1", twice, "s2", twice};
      const auto refused = ten.inventory.ResolveNames(names);
      CHECK(refused.status().code() == StatusCode::kInvalidArgument);
      CHECK_THAT(refused.status().message(), Catch::Contains(fmt::format("'{}' twice", twice)));
      CHECK(ten.inventory.ResolveNames(std::span(names).first(3)).ok());
    }
  }
}

TEST_CASE(
    "a name dropped a moment ago is found, in its youngest form, and stays open while pinned") {
  TenSegments ten({.snapshots_kept_ms = 100ms});
  ten.inventory.Apply({Opened("s4", 24)}, {});
  ten.Drop({"s4", "s5"});
  Resolution found = ten.Names({"s4", "s5", "s6"});
  CHECK(Chosen(found) == std::vector{Open(24), Open(5), Open(6)});
  CHECK(found.missing.empty());
  CHECK(found.selection.pin->epoch() == ten.inventory.current()->epoch());
  ten.inventory.Apply({Opened("s4", 17)}, {});
  CHECK(Chosen(ten.Names({"s4"})) == std::vector{Open(17)});
  std::this_thread::sleep_for(150ms);
  ten.inventory.ForgetOld();
  CHECK(ten.Names({"s5"}).missing == std::vector<std::string>{"s5"});
  CHECK(Chosen(ten.Names({"s4"})) == std::vector{Open(17)});
}

TEST_CASE("a dropped segment is closed when no snapshot and no query holds it") {
  TableInventory inventory(InfoOf("t_OFFLINE"), {.snapshots_kept_ms = 0ms});
  auto alone = segment::Segment::Open(OpenSegments()[0]->directory().is_v3()
                                          ? std::filesystem::path(TRELLIS_EXAMPLE_DATA) / "rides" /
                                                OpenSegments()[0]->name()
                                          : std::filesystem::path());
  const std::weak_ptr<const segment::Segment> watched = *alone;
  InventorySegment segment = Opened("alone");
  segment.segment = std::move(*alone);
  inventory.Apply({std::move(segment), Opened("other", 2)}, {});
  const std::vector<std::string> drop{"alone"};
  inventory.Apply({}, drop);
  std::optional<Resolution> pinned =
      inventory.ResolveNames(std::vector<std::string_view>{"alone"}).value();
  REQUIRE(Chosen(*pinned).size() == 1);
  std::this_thread::sleep_for(2ms);
  inventory.ForgetOld();
  CHECK_FALSE(watched.expired());
  CHECK((*pinned).selection.segments()[0]->document_count() == 1'000);
  pinned.reset();
  CHECK(watched.expired());
}

}  // namespace
}  // namespace trellis::server
