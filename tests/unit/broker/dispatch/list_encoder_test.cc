#include "broker/dispatch/list_encoder.h"

#include <catch2/catch.hpp>
#include <random>
#include <thread>

#include "tests/unit/broker/dispatch/made_catalog.h"

namespace trellis::broker {
namespace {

using wire::SegmentListEncoding;
constexpr auto kAll = {SegmentListEncoding::kKnown, SegmentListEncoding::kPacked,
                       SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson};

RoutedShare ShareOf(std::shared_ptr<const ServerPart> part, Roaring ids,
                    std::shared_ptr<ListCache> lists = nullptr) {
  RoutedShare share;
  share.part = std::move(part);
  share.count = ids.cardinality();
  share.ids = std::make_shared<const Roaring>(std::move(ids));
  share.lists = std::move(lists);
  return share;
}

// A numbered part of these ids, with these ordinals.
std::shared_ptr<ServerPart> PartOf(std::vector<uint32_t> ids, std::vector<uint32_t> ordinals) {
  auto part = std::make_shared<ServerPart>();
  part->numbered = true;
  part->incarnation = 7;
  part->epoch = 3;
  part->held = Roaring(ids.size(), ids.data());
  part->ids = std::move(ids);
  part->ordinals = std::move(ordinals);
  return part;
}

// What a server makes of the list: the ordinals meant.
Roaring Meant(const wire::KnownSegments& known, const ServerPart& part) {
  const Roaring alive(part.ordinals.size(), part.ordinals.data());
  return known.all_but ? alive - known.ordinals : known.ordinals;
}

}  // namespace

TEST_CASE("of what a server announces the first that can be used is taken") {
  ServerEntry server;
  ServerPart part;
  const auto choose = [&](std::optional<SegmentListEncoding> forced, bool by_names = false) {
    return ChooseEncoding(server, part, forced, by_names);
  };
  CHECK(choose({}) == SegmentListEncoding::kLegacyJson);
  CHECK(choose({}, true) == SegmentListEncoding::kNames);
  server.segment_list_encodings = {"of tomorrow", "known", "packed", "names"};
  CHECK(choose({}) == SegmentListEncoding::kPacked);
  part.numbered = true;
  CHECK(choose({}) == SegmentListEncoding::kKnown);
  CHECK(choose({}, true) == SegmentListEncoding::kPacked);
  server.segment_list_encodings = {"names", "known"};
  CHECK(choose({}) == SegmentListEncoding::kNames);
}

TEST_CASE("a forced encoding is used whatever the server announces, where it can be") {
  ServerEntry server;
  server.segment_list_encodings = {"names"};
  ServerPart part;
  for (const SegmentListEncoding encoding : kAll) {
    if (encoding == SegmentListEncoding::kKnown) continue;
    CHECK(ChooseEncoding(server, part, encoding, false) == encoding);
    CHECK(ChooseEncoding(server, part, encoding, true) == encoding);
  }
  CHECK(ChooseEncoding(server, part, SegmentListEncoding::kKnown, false) ==
        SegmentListEncoding::kPacked);
  part.numbered = true;
  CHECK(ChooseEncoding(server, part, SegmentListEncoding::kKnown, false) ==
        SegmentListEncoding::kKnown);
  CHECK(ChooseEncoding(server, part, SegmentListEncoding::kKnown, true) ==
        SegmentListEncoding::kNames);
}

TEST_CASE("everything of a server is all but nothing") {
  const auto catalog = MakeCatalog({{"a", SegmentNames(0, 60'000), {"known"}, true}});
  const Route route = RouteOf(catalog);
  const auto known = ToKnown(*route.table, *route.shares[0].part, *route.shares[0].ids);
  CHECK(known.table == "t_OFFLINE");
  CHECK(known.incarnation == 7);
  CHECK(known.epoch == 3);
  CHECK(known.all_but);
  CHECK(known.ordinals.isEmpty());
  CHECK(known.count == 60'000);
  const auto list = EncodeList(*route.table, route.shares[0], SegmentListEncoding::kKnown);
  REQUIRE(list.ok());
  CHECK(list->bytes.size_bytes() <= 64);
  CHECK(list->names == 0);
}

TEST_CASE("a part of a server's segments is the smaller of these and of the others") {
  const auto catalog = MakeCatalog({{"a", SegmentNames(0, 100), {"known"}, true}});
  const Route route = RouteOf(catalog);
  const ServerPart& part = *route.shares[0].part;
  Roaring few;
  few.add(3);
  few.add(99);
  auto known = ToKnown(*route.table, part, few);
  CHECK_FALSE(known.all_but);
  CHECK(known.ordinals == Roaring::bitmapOf(2, 103, 199));
  CHECK(known.count == 2);
  known = ToKnown(*route.table, part, part.held - few);
  CHECK(known.all_but);
  CHECK(known.ordinals == Roaring::bitmapOf(2, 103, 199));
  CHECK(known.count == 98);
  known = ToKnown(*route.table, part, {});
  CHECK_FALSE(known.all_but);
  CHECK(known.count == 0);
}

TEST_CASE("ordinals are those of the ids, however both lie") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const size_t held = round < 20 ? static_cast<size_t>(round) : random() % 3'000;
    const bool gaps = random() % 2 == 0;
    std::vector<uint32_t> ids;
    std::vector<uint32_t> ordinals;
    for (uint32_t i = 0, id = random() % 9, ordinal = random() % 70'000; i < held; ++i) {
      ids.push_back(id);
      ordinals.push_back(ordinal);
      id += gaps ? 1 + random() % 3 : 1;
      ordinal += 1 + random() % 3;
    }
    if (random() % 3 == 0) std::shuffle(ordinals.begin(), ordinals.end(), random);
    const auto part = PartOf(ids, ordinals);
    const uint32_t percent = random() % 101;
    Roaring chosen;
    Roaring expected;
    for (size_t i = 0; i < held; ++i) {
      if (random() % 100 >= percent) continue;
      chosen.add(ids[i]);
      expected.add(ordinals[i]);
    }
    const auto known = ToKnown(Table(), *part, chosen);
    INFO("round " << round << ": " << chosen.cardinality() << " of " << held);
    REQUIRE(Meant(known, *part) == expected);
    REQUIRE(known.count == expected.cardinality());
    REQUIRE(known.ordinals.cardinality() * 2 <= held);
  }
}

TEST_CASE("lists by ordinal are small") {
  std::vector<uint32_t> ids;
  std::mt19937 random(2);
  for (uint32_t id = 0; ids.size() < 60'000; id += 1 + random() % 3) ids.push_back(id);
  std::vector<uint32_t> ordinals;
  for (uint32_t i = 0; i < ids.size(); ++i) ordinals.push_back(i);
  const auto part = PartOf(ids, ordinals);
  Roaring half;
  Roaring all_but_30 = part->held;
  for (const uint32_t id : ids) {
    if (random() % 2) half.add(id);
  }
  for (int i = 0; i < 30; ++i) all_but_30.remove(ids[random() % ids.size()]);
  Table table;
  table.name = "events_OFFLINE";
  const auto size_of = [&](const Roaring& chosen) {
    const auto list = EncodeList(table, ShareOf(part, chosen), SegmentListEncoding::kKnown);
    REQUIRE(list.ok());
    return list->bytes.size_bytes();
  };
  CHECK(size_of(half) <= 9 * 1024);
  CHECK(size_of(all_but_30) <= 2 * 1024);
}

TEST_CASE("every encoding names the share's segments") {
  const auto catalog =
      MakeCatalog({{"a", SegmentNames(0, 50), {"known"}, true}, {"b", SegmentNames(20, 80)}});
  const Route route = RouteOf(catalog);
  Roaring some;
  for (uint32_t id = 1; id < 50; id += 3) some.add(id);
  const RoutedShare share = ShareOf(route.shares[0].part, some);
  for (const SegmentListEncoding encoding : kAll) {
    const auto list = EncodeList(*route.table, share, encoding);
    INFO(wire::SegmentListEncodingName(encoding) << ": " << list.status().message());
    REQUIRE(list.ok());
    CHECK_FALSE(list->cache_hit);
    const auto decoded = wire::DecodeSegmentLists(list->bytes.view);
    INFO(decoded.status().message());
    REQUIRE(decoded.ok());
    CHECK(decoded->encoding == encoding);
    if (encoding == SegmentListEncoding::kKnown) {
      CHECK(list->names == 0);
      CHECK(Meant(decoded->known.at(0), *share.part).cardinality() == some.cardinality());
      continue;
    }
    CHECK(list->names == static_cast<int64_t>(some.cardinality()));
    REQUIRE(decoded->groups.size() == 1);
    CHECK(decoded->groups[0].key ==
          (encoding == SegmentListEncoding::kPacked ? "t_OFFLINE" : "OFFLINE"));
    std::vector<std::string_view> expected;
    for (const uint32_t id : some) expected.push_back(route.table->segments->name(id));
    CHECK(decoded->groups[0].names == expected);
  }
}

TEST_CASE("a share of the snapshot is encoded once in each encoding, others each time") {
  const auto catalog = MakeCatalog({{"a", SegmentNames(0, 50), {"known"}, true}});
  const Route route = RouteOf(catalog);
  for (const SegmentListEncoding encoding : kAll) {
    const auto first = EncodeList(*route.table, route.shares[0], encoding);
    const auto second = EncodeList(*route.table, route.shares[0], encoding);
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    CHECK_FALSE(first->cache_hit);
    CHECK(second->cache_hit);
    CHECK(second->names == first->names);
    CHECK(second->bytes.view.data() == first->bytes.view.data());
    const RoutedShare copy = ShareOf(route.shares[0].part, *route.shares[0].ids);
    CHECK_FALSE(EncodeList(*route.table, copy, encoding)->cache_hit);
    CHECK_FALSE(EncodeList(*route.table, copy, encoding)->cache_hit);
  }
}

TEST_CASE("many queries that come at once share one encoding") {
  const auto catalog = MakeCatalog({{"a", SegmentNames(0, 5'000)}});
  const Route route = RouteOf(catalog);
  std::atomic<int> encoded{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      if (!EncodeList(*route.table, route.shares[0], SegmentListEncoding::kNames)->cache_hit)
        ++encoded;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(encoded == 1);
}

TEST_CASE("few names, ordinals and cached lists are cheap") {
  const auto catalog = MakeCatalog({{"a", SegmentNames(0, 60'000), {"known"}, true}});
  const Route route = RouteOf(catalog);
  const RoutedShare& whole = route.shares[0];
  Roaring half;
  half.addRange(0, 30'000);
  Roaring few;
  few.addRange(0, 2'000);
  CHECK(IsCheapToEncode(whole, SegmentListEncoding::kKnown));
  CHECK(IsCheapToEncode(ShareOf(whole.part, few), SegmentListEncoding::kNames));
  CHECK(IsCheapToEncode(ShareOf(whole.part, few), SegmentListEncoding::kKnown));
  CHECK_FALSE(IsCheapToEncode(ShareOf(whole.part, half), SegmentListEncoding::kKnown));
  CHECK_FALSE(IsCheapToEncode(ShareOf(whole.part, half), SegmentListEncoding::kPacked));
  CHECK_FALSE(IsCheapToEncode(whole, SegmentListEncoding::kNames));
  REQUIRE(EncodeList(*route.table, whole, SegmentListEncoding::kNames).ok());
  CHECK(IsCheapToEncode(whole, SegmentListEncoding::kNames));
  CHECK_FALSE(IsCheapToEncode(whole, SegmentListEncoding::kLegacyJson));
}

TEST_CASE("names that are too many for one message are not written") {
  const auto catalog = MakeCatalog({{"a", SegmentNames(0, 3'000)}});
  const Route route = RouteOf(catalog);
  const RoutedShare& share = route.shares[0];
  const size_t names_bytes = 3'000 * 14;
  for (const SegmentListEncoding encoding :
       {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    const auto list = EncodeList(*route.table, share, encoding, names_bytes - 1);
    REQUIRE_FALSE(list.ok());
    CHECK(list.status().code() == StatusCode::kResourceExhausted);
    CHECK(list.status().message().find("42000 bytes, at most 41999") != std::string::npos);
    CHECK(share.lists->bytes[static_cast<size_t>(encoding)] == nullptr);
    CHECK(EncodeList(*route.table, share, encoding, names_bytes).ok());
  }
  CHECK(EncodeList(*route.table, share, SegmentListEncoding::kPacked, 10).ok());
}

TEST_CASE("an error of the codec is the list's") {
  Table table;
  table.name = "\xff";
  const auto part = PartOf({0}, {0});
  CHECK_FALSE(EncodeList(table, ShareOf(part, part->held), SegmentListEncoding::kKnown).ok());
}

}  // namespace trellis::broker
