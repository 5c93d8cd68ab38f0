#include "broker/dispatch/replica_finder.h"

#include <catch2/catch.hpp>

#include "tests/unit/broker/dispatch/made_catalog.h"

namespace trellis::broker {
namespace {

Roaring Ids(uint32_t from, uint32_t to) {
  Roaring ids;
  ids.addRange(from, to);
  return ids;
}

std::string TargetOf(const Replicas& found, size_t share) {
  return found.snapshot->servers[found.shares.at(share).share.part->server].target;
}

}  // namespace

TEST_CASE("another server alive that holds the segments is found") {
  const auto catalog =
      MakeCatalog({{"a", SegmentNames(0, 10)},
                   {.target = "dead", .names = SegmentNames(0, 10), .alive = false},
                   {"b", SegmentNames(3, 8)}});
  const Route route = RouteOf(catalog);
  const std::vector<std::string> tried{"a"};
  const Replicas found = FindReplicas(route, catalog, Ids(0, 5), tried);
  REQUIRE(found.shares.size() == 1);
  CHECK(TargetOf(found, 0) == "b");
  CHECK(found.shares[0].routed == Ids(3, 5));
  CHECK(*found.shares[0].share.ids == Ids(3, 5));
  CHECK(found.rest == Ids(0, 3));
  CHECK(found.gone.isEmpty());
  CHECK(found.away == Ids(0, 3));
  const std::vector<std::string> all{"a", "dead"};
  CHECK(FindReplicas(route, catalog, Ids(0, 5), all).away.isEmpty());
  const std::vector<std::string> both{"a", "b"};
  CHECK(FindReplicas(route, catalog, Ids(0, 5), both).shares.empty());
}

TEST_CASE("a later catalog is asked by name: other ids, other positions, new servers") {
  const Route route = RouteOf(MakeCatalog({{"a", SegmentNames(10, 20)}}));
  // Ids are shifted by the ten new segments, and the servers have changed places.
  const auto newest = MakeCatalog({{"b", SegmentNames(12, 18)}, {"a", SegmentNames(0, 15)}});
  const std::vector<std::string> tried{"a"};
  const Replicas found = FindReplicas(route, newest, Ids(0, 10), tried);
  REQUIRE(found.shares.size() == 1);
  CHECK(TargetOf(found, 0) == "b");
  CHECK(found.shares[0].table == newest->tables.at("t_OFFLINE"));
  CHECK(*found.shares[0].share.ids == Ids(12, 18));
  CHECK(found.shares[0].routed == Ids(2, 8));
  CHECK(found.shares[0].ToRouted(Ids(13, 15)) == Ids(3, 5));
  CHECK(found.rest == (Ids(0, 2) | Ids(8, 10)));
  CHECK(found.gone == Ids(8, 10));  // 18 and 19 are held by nobody any more
  const auto without_b = MakeCatalog(
      {{.target = "b", .names = SegmentNames(12, 18), .alive = false}, {"a", SegmentNames(0, 15)}});
  const Replicas waiting = FindReplicas(route, without_b, Ids(0, 10), tried);
  CHECK(waiting.shares.empty());
  CHECK(waiting.away == Ids(2, 8));
}

TEST_CASE("a table that is gone as a whole says nothing of its segments") {
  const auto catalog = MakeCatalog({{"a", SegmentNames(0, 4)}, {"b", SegmentNames(0, 4)}});
  const Route route = RouteOf(catalog);
  const std::vector<std::string> tried{"a"};
  const Replicas found =
      FindReplicas(route, std::make_shared<const CatalogSnapshot>(), Ids(0, 4), tried);
  REQUIRE(found.shares.size() == 1);
  CHECK(TargetOf(found, 0) == "b");
  CHECK(found.gone.isEmpty());
}

TEST_CASE("a segment that has become broken is not gone: somebody has to be told") {
  const Route route = RouteOf(MakeCatalog({{"a", SegmentNames(0, 10)}}));
  const auto dropped = MakeCatalog({{"a", SegmentNames(0, 8)}});
  const std::vector<std::string> tried{"a"};
  CHECK(FindReplicas(route, dropped, Ids(7, 10), tried).gone == Ids(8, 10));
  auto table = std::make_shared<Table>(*dropped->tables.at("t_OFFLINE"));
  table->broken.push_back({SegmentNames(8, 9)[0], "columns.psf is cut"});
  auto broken = std::make_shared<CatalogSnapshot>(*dropped);
  broken->tables["t_OFFLINE"] = table;
  const Replicas found = FindReplicas(route, broken, Ids(7, 10), tried);
  CHECK(found.gone == Ids(9, 10));
  CHECK(found.rest == Ids(7, 10));
}

}  // namespace trellis::broker
