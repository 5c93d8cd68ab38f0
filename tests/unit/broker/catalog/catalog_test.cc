#include "broker/catalog/catalog.h"

#include <catch2/catch.hpp>

#include "broker/catalog/catalog_state.h"

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

}  // namespace trellis::broker
