#include "broker/routing/router.h"

#include <catch2/catch.hpp>
#include <map>
#include <optional>

#include "tests/unit/broker/catalog/announced.h"

namespace trellis::broker {
namespace {

// Segments s_0 .. s_(count-1), each on the servers `holders` names, with ts = [i, i].
std::shared_ptr<const CatalogSnapshot> Catalog(
    uint32_t count, const std::vector<std::vector<uint32_t>>& segments_of_server) {
  CatalogState state;
  for (size_t s = 0; s < segments_of_server.size(); ++s) {
    const uint32_t server = AddAlive(state, "s" + std::to_string(s));
    std::vector<std::pair<uint32_t, std::string>> segments;
    std::vector<std::pair<int64_t, int64_t>> bounds;
    for (const uint32_t i : segments_of_server[s]) {
      REQUIRE(i < count);
      segments.emplace_back(segments.size(), "s_" + std::to_string(i));
      bounds.emplace_back(i, i);
    }
    wire::SegmentBatch batch = BatchOf(segments);
    batch.zones = {ZonesOf("ts", bounds)};
    REQUIRE(state.Apply(server, FullUpdate(s + 1, 1, std::move(batch))).ok());
  }
  return state.Build();
}

std::shared_ptr<const CatalogSnapshot> TwoReplicas() { return Catalog(3, {{0, 1, 2}, {0, 1, 2}}); }

plan::Filter Between(int64_t low, int64_t high) {
  plan::Predicate predicate;
  predicate.kind = plan::Predicate::Kind::kRange;
  predicate.subject = plan::Expression::Column("ts", {DataType::kLong, false});
  predicate.lower = Value::Long(low);
  predicate.upper = Value::Long(high);
  predicate.lower_inclusive = predicate.upper_inclusive = true;
  return plan::Filter::Of(predicate);
}

// Every id of the shares, with a check that each is there once and held by its server.
Roaring Covered(const std::vector<RoutedShare>& shares) {
  Roaring covered;
  for (const RoutedShare& share : shares) {
    CHECK(share.count == share.ids->cardinality());
    CHECK(share.count != 0);
    CHECK(share.ids->isSubset(share.part->held));
    CHECK((covered & *share.ids).isEmpty());
    covered |= *share.ids;
  }
  return covered;
}

}  // namespace

TEST_CASE("queries take the assignments in turn and cover every segment") {
  const auto snapshot = TwoReplicas();
  const auto table = snapshot->tables.at("t_OFFLINE");
  REQUIRE(table->assignments.size() == 2);
  const auto ids_of = [&](uint64_t turn) {
    const Route route = ChooseRoute(snapshot, table, nullptr, turn);
    CHECK(route.segments_routed == 3);
    CHECK(route.segments_pruned == 0);
    CHECK(Covered(route.shares).cardinality() == 3);
    return route.shares.at(0).ids;
  };
  CHECK(ids_of(0) != ids_of(1));
  CHECK(ids_of(0) == ids_of(2));  // the snapshot's own, not a copy
  CHECK(ids_of(UINT64_MAX) == ids_of(1));
}

TEST_CASE("a route keeps its snapshot and table alive") {
  auto snapshot = TwoReplicas();
  const std::weak_ptr<const CatalogSnapshot> watched = snapshot;
  auto table = snapshot->tables.at("t_OFFLINE");
  std::optional<Route> route = ChooseRoute(std::move(snapshot), std::move(table), nullptr, 0);
  REQUIRE_FALSE(watched.expired());
  CHECK(route->table->segments->name(route->shares.at(0).ids->minimum()) == "s_0");
  route.reset();
  CHECK(watched.expired());
}

TEST_CASE("pruned segments are not routed, and servers without any are not asked") {
  const auto snapshot = Catalog(6, {{0, 1, 2}, {3, 4, 5}});
  const auto table = snapshot->tables.at("t_OFFLINE");
  const plan::Filter filter = Between(1, 2);
  const Route route = ChooseRoute(snapshot, table, &filter, 0);
  REQUIRE(route.shares.size() == 1);
  CHECK(route.shares[0].part->server == 0);
  CHECK(*route.shares[0].ids == Roaring::bitmapOf(2, 1, 2));
  CHECK(route.shares[0].lists == nullptr);
  CHECK(route.segments_routed == 2);
  CHECK(route.segments_pruned == 4);
  CHECK(route.rows_pruned == 40);
}

TEST_CASE("a share that pruning leaves whole keeps its lists") {
  const auto snapshot = Catalog(6, {{0, 1, 2}, {3, 4, 5}});
  const auto table = snapshot->tables.at("t_OFFLINE");
  const plan::Filter filter = Between(2, 5);
  const Route route = ChooseRoute(snapshot, table, &filter, 0);
  REQUIRE(route.shares.size() == 2);
  CHECK(route.shares[0].lists == nullptr);
  CHECK(route.shares[1].lists == table->assignments[0].shares.at(1).lists);
  CHECK(route.shares[1].ids == table->assignments[0].shares.at(1).ids);
  const plan::Filter everything = Between(-5, 50);
  const Route whole = ChooseRoute(snapshot, table, &everything, 0);
  CHECK(whole.shares.at(0).ids == table->assignments[0].shares.at(0).ids);
  CHECK(whole.segments_pruned == 0);
}

TEST_CASE("everything pruned asks nobody") {
  const auto snapshot = TwoReplicas();
  const plan::Filter filter = Between(77, 78);
  const Route route = ChooseRoute(snapshot, snapshot->tables.at("t_OFFLINE"), &filter, 1);
  CHECK(route.shares.empty());
  CHECK(route.segments_pruned == 3);
  CHECK(route.rows_pruned == 30);
}

TEST_CASE("of unavailable segments only those the query needs are told") {
  CatalogState state;
  AddAlive(state, "a:1");
  wire::SegmentBatch batch = BatchOf({{0, "s_0"}, {1, "s_1"}});
  batch.zones = {ZonesOf("ts", {{0, 0}, {1, 1}})};
  REQUIRE(state.Apply(0, FullUpdate(1, 1, batch)).ok());
  SetAlive(state, 0, false);
  const auto snapshot = state.Build();
  const auto table = snapshot->tables.at("t_OFFLINE");
  CHECK(ChooseRoute(snapshot, table, nullptr, 0).unavailable->cardinality() == 2);
  const plan::Filter filter = Between(1, 1);
  CHECK(*ChooseRoute(snapshot, table, &filter, 0).unavailable == Roaring::bitmapOf(1, 1));
}

TEST_CASE("a retry spreads over the replicas that are left") {
  std::vector<uint32_t> all(90);
  for (uint32_t i = 0; i < 90; ++i) all[i] = i;
  const auto snapshot = Catalog(90, {all, all, all, all});
  const auto table = snapshot->tables.at("t_OFFLINE");
  Roaring ids;
  for (uint32_t id = 0; id < 90; id += 3) ids.add(id);
  const std::vector<uint32_t> excluded = {2};
  Roaring uncovered = Roaring::bitmapOf(1, 7);
  const auto shares = RouteAgain(*snapshot, *table, ids, excluded, uncovered);
  REQUIRE(shares.size() == 3);
  for (const RoutedShare& share : shares) {
    CHECK(share.part->server != 2);
    CHECK(share.count == 10);
    CHECK(share.lists == nullptr);
  }
  CHECK(Covered(shares) == ids);
  CHECK(uncovered.isEmpty());
}

TEST_CASE("a retry tells what no server can take") {
  const auto snapshot = Catalog(4, {{0, 1}, {1, 2}, {3}});
  const auto table = snapshot->tables.at("t_OFFLINE");
  Roaring uncovered;
  const std::vector<uint32_t> excluded = {0};
  const auto shares =
      RouteAgain(*snapshot, *table, Roaring::bitmapOf(3, 0, 1, 2), excluded, uncovered);
  CHECK(uncovered == Roaring::bitmapOf(1, 0));
  CHECK(Covered(shares) == Roaring::bitmapOf(2, 1, 2));
  // Servers that the newer snapshot calls dead are not asked.
  CatalogSnapshot later = *snapshot;
  later.servers[1].alive = false;
  CHECK(RouteAgain(later, *table, Roaring::bitmapOf(2, 1, 2), excluded, uncovered).empty());
  CHECK(uncovered == Roaring::bitmapOf(2, 1, 2));
}

}  // namespace trellis::broker
