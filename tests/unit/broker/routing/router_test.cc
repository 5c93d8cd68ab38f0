#include "broker/routing/router.h"

#include <catch2/catch.hpp>
#include <optional>

namespace trellis::broker {
namespace {

std::shared_ptr<const CatalogSnapshot> TwoReplicas() {
  std::vector<ReportedServer> servers(2);
  for (size_t i = 0; i < servers.size(); ++i) {
    servers[i].server.target = "s" + std::to_string(i);
    servers[i].server.alive = true;
    ReportedTable table;
    table.name = "t_OFFLINE";
    table.schema_json = R"({"schemaName":"t"})";
    for (const char* name : {"x", "y", "z"}) table.segments.push_back({name, 1, {}, {}, ""});
    servers[i].tables.push_back(std::move(table));
  }
  return BuildCatalog(servers);
}

}  // namespace

TEST_CASE("queries take the assignments in turn and cover every segment") {
  const auto snapshot = TwoReplicas();
  const auto table = snapshot->tables.at("t_OFFLINE");
  REQUIRE(table->assignments.size() == 2);
  const Route first = ChooseRoute(snapshot, table, 0);
  const Route second = ChooseRoute(snapshot, table, 1);
  const Route third = ChooseRoute(snapshot, table, 2);
  CHECK(first.assignment != second.assignment);
  CHECK(first.assignment == third.assignment);
  CHECK(first.segments_routed == 3);
  CHECK(second.segments_routed == 3);
  CHECK(ChooseRoute(snapshot, table, UINT64_MAX).assignment == second.assignment);
}

TEST_CASE("a route keeps its snapshot and table alive") {
  auto snapshot = TwoReplicas();
  const std::weak_ptr<const CatalogSnapshot> watched = snapshot;
  auto table = snapshot->tables.at("t_OFFLINE");
  std::optional<Route> route = ChooseRoute(std::move(snapshot), std::move(table), 0);
  REQUIRE_FALSE(watched.expired());
  CHECK(route->table->name == "t_OFFLINE");
  CHECK(route->assignment->shares.at(0).segments.at(0) == "x");
  route.reset();
  CHECK(watched.expired());
}

}  // namespace trellis::broker
