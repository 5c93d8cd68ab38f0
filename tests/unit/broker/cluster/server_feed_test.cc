#include "broker/cluster/server_feed.h"

#include <catch2/catch.hpp>

#include "tests/unit/broker/catalog/announced.h"

namespace trellis::broker {
namespace {

wire::Inventory Updates(std::vector<wire::TableUpdate> updates, bool complete) {
  wire::Inventory inventory;
  inventory.features = {wire::kInventoryDeltasFeature};
  inventory.updates = std::move(updates);
  inventory.complete = complete;
  return inventory;
}

}  // namespace

TEST_CASE("a server comes when its first inventory is complete") {
  CatalogState catalog;
  ServerFeed feed(catalog, catalog.AddServer("a:1"));
  feed.Begin();
  auto taken = feed.Take(Updates({FullUpdate(1, 1, BatchOf({{0, "a"}}))}, false));
  REQUIRE(taken.ok());
  CHECK_FALSE(taken->changed);
  CHECK_FALSE(catalog.server(0).alive);
  taken = feed.Take(Updates({}, true));
  REQUIRE(taken.ok());
  CHECK(taken->changed);
  CHECK(taken->came);
  CHECK(catalog.server(0).alive);
  CHECK(catalog.server(0).reported);
  taken = feed.Take(Updates({DeltaUpdate(1, 1, 2, BatchOf({{1, "b"}}))}, true));
  REQUIRE(taken.ok());
  CHECK(taken->changed);
  CHECK_FALSE(taken->came);
}

TEST_CASE("a server of no table is there all the same") {
  CatalogState catalog;
  ServerFeed feed(catalog, catalog.AddServer("a:1"));
  feed.Begin();
  CHECK(feed.Take(Updates({}, true))->came);
  CHECK(catalog.Build()->tables.empty());
}

TEST_CASE("tables that a new watch does not tell of are forgotten when it is complete") {
  CatalogState catalog;
  ServerFeed feed(catalog, catalog.AddServer("a:1"));
  feed.Begin();
  REQUIRE(feed.Take(Updates({FullUpdate(1, 1, BatchOf({{0, "a"}})),
                             FullUpdate(1, 1, BatchOf({{0, "x"}}), "u_OFFLINE")},
                            true))
              .ok());
  feed.Begin();
  REQUIRE(feed.Take(Updates({FullUpdate(1, 1, BatchOf({{0, "a"}}))}, false)).ok());
  CHECK(catalog.Build()->tables.size() == 2);
  REQUIRE(feed.Take(Updates({}, true)).ok());
  CHECK(catalog.Build()->tables.size() == 1);
  CHECK(catalog.server(0).alive);
}

TEST_CASE("what one watch has begun another does not end") {
  CatalogState catalog;
  ServerFeed feed(catalog, catalog.AddServer("a:1"));
  feed.Begin();
  wire::TableUpdate cut = FullUpdate(1, 1, BatchOf({{0, "a"}}));
  cut.description.reset();
  cut.more = true;
  REQUIRE(feed.Take(Updates({cut}, false)).ok());
  feed.Begin();
  REQUIRE(feed.Take(Updates({cut}, false)).ok());
}

TEST_CASE("an update that does not follow is an error, and the server stays") {
  CatalogState catalog;
  ServerFeed feed(catalog, catalog.AddServer("a:1"));
  feed.Begin();
  REQUIRE(feed.Take(Updates({FullUpdate(1, 1, BatchOf({{0, "a"}}))}, true)).ok());
  const auto taken = feed.Take(Updates({DeltaUpdate(1, 7, 8, {})}, true));
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.status().code() == StatusCode::kFailedPrecondition);
  CHECK(taken.status().message().find("server a:1, table t_OFFLINE") != std::string::npos);
  CHECK(catalog.server(0).alive);
}

TEST_CASE("a server is lost once") {
  CatalogState catalog;
  ServerFeed feed(catalog, catalog.AddServer("a:1"));
  CHECK_FALSE(feed.Lost());
  feed.Begin();
  REQUIRE(feed.Take(Updates({}, true)).ok());
  CHECK(feed.Lost());
  CHECK_FALSE(feed.Lost());
  CHECK(catalog.server(0).reported);
}

}  // namespace trellis::broker
