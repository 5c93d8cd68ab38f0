#include "broker/catalog/catalog.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

namespace trellis::broker {
namespace {

constexpr char kSchema[] =
    R"({"schemaName":"t","dimensionFieldSpecs":[{"name":"a","dataType":"INT"}]})";

ReportedTable Reported(std::string name, std::vector<std::string> segments) {
  ReportedTable table;
  table.name = std::move(name);
  table.schema_json = kSchema;
  for (std::string& segment : segments)
    table.segments.push_back({std::move(segment), 10, {}, {}, ""});
  return table;
}

ReportedServer Server(std::string target, std::vector<ReportedTable> tables, bool alive = true) {
  ReportedServer server;
  server.server.target = std::move(target);
  server.server.alive = alive;
  server.tables = std::move(tables);
  return server;
}

void NotFound(const CatalogSnapshot& catalog, std::string_view name, PinotCode code,
              std::string_view part) {
  const auto table = catalog.FindTable(name);
  INFO(name << ": " << table.status().message());
  REQUIRE_FALSE(table.ok());
  CHECK(table.status().pinot_code() == code);
  CHECK(table.status().message().find(part) != std::string::npos);
}

std::vector<std::string> Names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("segment_" + std::to_string(i));
  return names;
}

}  // namespace

TEST_CASE("a table is found with and without its type, whatever the letters' case") {
  const auto catalog = BuildCatalog(
      {Server("a:1", {Reported("Rides_OFFLINE", {"s"}), Reported("live_REALTIME", {"s"})})});
  for (const char* name : {"Rides", "Rides_OFFLINE", "rides", "RIDES_offline"}) {
    INFO(name);
    const auto table = catalog->FindTable(name);
    REQUIRE(table.ok());
    CHECK((*table)->name == "Rides_OFFLINE");
  }
  const auto live = catalog->FindTable("live");
  REQUIRE(live.ok());
  CHECK((*live)->type == "REALTIME");
  CHECK((*live)->raw_name == "live");
  CHECK(catalog->raw_names() == std::vector<std::string>{"Rides", "live"});
}

TEST_CASE("a table spelled exactly wins over one that differs in case") {
  const auto catalog =
      BuildCatalog({Server("a:1", {Reported("T_OFFLINE", {"s"}), Reported("t_OFFLINE", {"s"})})});
  REQUIRE(catalog->FindTable("t").ok());
  CHECK((*catalog->FindTable("t"))->name == "t_OFFLINE");
  CHECK((*catalog->FindTable("T"))->name == "T_OFFLINE");
}

TEST_CASE("an unknown table is refused with the nearest name") {
  const auto catalog = BuildCatalog({Server("a:1", {Reported("rides_OFFLINE", {"s"})})});
  NotFound(*catalog, "ride", PinotCode::kTableDoesNotExist, "did you mean 'rides'?");
  NotFound(*catalog, "rides_REALTIME", PinotCode::kTableDoesNotExist, "does not exist");
  NotFound(*BuildCatalog({}), "rides", PinotCode::kTableDoesNotExist, "does not exist");
}

TEST_CASE("a hybrid table is refused unless its type is named") {
  const auto catalog =
      BuildCatalog({Server("a:1", {Reported("t_OFFLINE", {"s"}), Reported("t_REALTIME", {"r"})})});
  NotFound(*catalog, "t", PinotCode::kQueryValidation, "hybrid");
  REQUIRE(catalog->FindTable("t_REALTIME").ok());
  CHECK((*catalog->FindTable("t_REALTIME"))->type == "REALTIME");
}

TEST_CASE("a refused table says why, whichever server refuses it") {
  ReportedTable upsert = Reported("t_OFFLINE", {"s"});
  upsert.refused = "upsert is not supported";
  const auto catalog =
      BuildCatalog({Server("a:1", {Reported("t_OFFLINE", {"s"})}), Server("b:1", {upsert})});
  NotFound(*catalog, "t", PinotCode::kQueryValidation, "upsert is not supported");
}

TEST_CASE("a schema that does not parse makes its table refused") {
  ReportedTable table = Reported("t_OFFLINE", {"s"});
  table.schema_json = "{";
  const auto catalog = BuildCatalog({Server("a:1", {table})});
  REQUIRE(catalog->tables.at("t_OFFLINE")->schema != nullptr);
  NotFound(*catalog, "t", PinotCode::kQueryValidation, "schema cannot be read");
}

TEST_CASE("of schemas that differ the first one is used") {
  ReportedTable other = Reported("t_OFFLINE", {"s"});
  other.schema_json = R"({"schemaName":"t","dimensionFieldSpecs":[]})";
  const auto catalog =
      BuildCatalog({Server("a:1", {Reported("t_OFFLINE", {"s"})}), Server("b:1", {other})});
  CHECK((*catalog->FindTable("t"))->schema->Find("a") != nullptr);
}

TEST_CASE("every assignment covers each segment exactly once, for every number of replicas") {
  for (size_t replicas = 1; replicas <= 10; ++replicas) {
    std::vector<ReportedServer> servers;
    for (size_t i = 0; i < replicas; ++i)
      servers.push_back(Server("s" + std::to_string(i), {Reported("t_OFFLINE", Names(23))}));
    const auto catalog = BuildCatalog(servers);
    const auto& table = *catalog->tables.at("t_OFFLINE");
    INFO(replicas << " replicas");
    CHECK(table.assignments.size() == std::min<size_t>(replicas, 8));
    CHECK(table.rows == 230);
    for (const Assignment& assignment : table.assignments) {
      std::multiset<std::string_view> covered;
      size_t largest = 0;
      for (const ServerShare& share : assignment.shares) {
        CHECK(share.server < replicas);
        covered.insert(share.segments.begin(), share.segments.end());
        largest = std::max(largest, share.segments.size());
      }
      CHECK(covered.size() == 23);
      CHECK(std::set(covered.begin(), covered.end()).size() == 23);
      CHECK(largest <= (23 + replicas - 1) / replicas);  // spread evenly
    }
  }
}

TEST_CASE("different assignments ask different replicas for a segment") {
  const auto catalog = BuildCatalog({Server("a:1", {Reported("t_OFFLINE", {"s"})}),
                                     Server("b:1", {Reported("t_OFFLINE", {"s"})})});
  const auto& table = *catalog->tables.at("t_OFFLINE");
  REQUIRE(table.assignments.size() == 2);
  CHECK(table.assignments[0].shares.at(0).server != table.assignments[1].shares.at(0).server);
}

TEST_CASE("a segment goes only to servers that hold it and are alive") {
  const auto catalog =
      BuildCatalog({Server("a:1", {Reported("t_OFFLINE", {"both", "only_a"})}),
                    Server("b:1", {Reported("t_OFFLINE", {"both", "only_b"})}),
                    Server("c:1", {Reported("t_OFFLINE", {"both", "only_c"})}, false)});
  const auto& table = *catalog->tables.at("t_OFFLINE");
  REQUIRE(table.unavailable.size() == 1);
  CHECK(table.segments[table.unavailable[0]].name == "only_c");
  for (const Assignment& assignment : table.assignments) {
    std::map<std::string_view, uint32_t> server_of;
    for (const ServerShare& share : assignment.shares) {
      for (const std::string_view segment : share.segments) server_of[segment] = share.server;
    }
    CHECK(server_of.size() == 3);
    CHECK(server_of.at("only_a") == 0);
    CHECK(server_of.at("only_b") == 1);
    CHECK(server_of.at("both") < 2);
  }
}

TEST_CASE("a segment that nobody can read is unavailable and says why") {
  ReportedTable broken = Reported("t_OFFLINE", {"good", "bad"});
  broken.segments[1].broken = "columns.psf is cut";
  const auto alone = BuildCatalog({Server("a:1", {broken})});
  const auto& table = *alone->tables.at("t_OFFLINE");
  REQUIRE(table.unavailable.size() == 1);
  CHECK(table.segments[table.unavailable[0]].broken == "columns.psf is cut");
  CHECK(table.assignments.at(0).shares.at(0).segments == std::vector<std::string_view>{"good"});
  // Another server's good copy makes it available again.
  const auto helped =
      BuildCatalog({Server("a:1", {broken}), Server("b:1", {Reported("t_OFFLINE", {"bad"})})});
  CHECK(helped->tables.at("t_OFFLINE")->unavailable.empty());
}

TEST_CASE("a table without a segment still has an assignment, to nobody") {
  const auto catalog = BuildCatalog({Server("a:1", {Reported("t_OFFLINE", {})})});
  const auto& table = *catalog->tables.at("t_OFFLINE");
  REQUIRE(table.assignments.size() == 1);
  CHECK(table.assignments[0].shares.empty());
}

}  // namespace trellis::broker
