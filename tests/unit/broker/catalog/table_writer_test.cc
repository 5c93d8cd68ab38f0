#include "broker/catalog/table_writer.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "broker/catalog/catalog_state.h"

namespace trellis::broker {
namespace {

ReportedTable Reported(std::vector<std::string> segments) {
  ReportedTable table;
  table.name = "t_OFFLINE";
  table.schema_json = R"({"schemaName":"t"})";
  for (std::string& segment : segments)
    table.segments.push_back({std::move(segment), 10, {}, {}, ""});
  return table;
}
ReportedServer Server(std::string target, ReportedTable table, bool alive = true) {
  ReportedServer server;
  server.server.target = std::move(target);
  server.server.alive = alive;
  server.tables.push_back(std::move(table));
  return server;
}
std::shared_ptr<const Table> Build(const std::vector<ReportedServer>& servers) {
  return BuildCatalog(servers)->tables.at("t_OFFLINE");
}
std::vector<std::string> Names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("segment_" + std::to_string(i));
  return names;
}

}  // namespace

TEST_CASE("every assignment covers each segment exactly once, for every number of replicas") {
  for (size_t replicas = 1; replicas <= 10; ++replicas) {
    std::vector<ReportedServer> servers;
    for (size_t i = 0; i < replicas; ++i)
      servers.push_back(Server("s" + std::to_string(i), Reported(Names(23))));
    const auto table = Build(servers);
    INFO(replicas << " replicas");
    CHECK(table->assignments.size() == std::min<size_t>(replicas, 8));
    CHECK(table->segments->rows_total() == 230);
    CHECK(table->unavailable->isEmpty());
    for (const Assignment& assignment : table->assignments) {
      Roaring covered;
      uint64_t total = 0;
      for (const ServerShare& share : assignment.shares) {
        CHECK(share.part == table->parts.at(share.part->server));
        CHECK(share.ids->cardinality() == share.count);
        CHECK(share.count <= (23 + replicas - 1) / replicas);  // spread evenly
        CHECK(share.everything == (replicas == 1));
        CHECK(share.lists != nullptr);
        covered |= *share.ids;
        total += share.count;
      }
      CHECK(total == 23);
      CHECK(covered.cardinality() == 23);
    }
  }
}

TEST_CASE("different assignments ask different replicas for a segment") {
  const auto table = Build({Server("a:1", Reported({"s"})), Server("b:1", Reported({"s"}))});
  REQUIRE(table->assignments.size() == 2);
  CHECK(table->assignments[0].shares.at(0).part->server !=
        table->assignments[1].shares.at(0).part->server);
}

TEST_CASE("a segment goes only to servers that hold it and are alive") {
  const auto table = Build({Server("a:1", Reported({"both", "only_a"})),
                            Server("b:1", Reported({"both", "only_b"})),
                            Server("c:1", Reported({"both", "only_c"}), false)});
  REQUIRE(table->unavailable->cardinality() == 1);
  CHECK(table->segments->name(table->unavailable->minimum()) == "only_c");
  CHECK(table->parts.size() == 3);  // one that is not alive keeps its part
  for (const Assignment& assignment : table->assignments) {
    std::map<std::string_view, uint32_t> server_of;
    for (const ServerShare& share : assignment.shares) {
      for (const uint32_t id : *share.ids)
        server_of[table->segments->name(id)] = share.part->server;
    }
    CHECK(server_of.size() == 3);
    CHECK(server_of.at("only_a") == 0);
    CHECK(server_of.at("only_b") == 1);
    CHECK(server_of.at("both") < 2);
  }
}

TEST_CASE("a segment that nobody can read is listed and says why") {
  ReportedTable broken = Reported({"good", "bad"});
  broken.segments[1].broken = "columns.psf is cut";
  const auto alone = Build({Server("a:1", broken)});
  REQUIRE(alone->broken.size() == 1);
  CHECK(alone->broken[0].name == "bad");
  CHECK(alone->broken[0].reason == "columns.psf is cut");
  CHECK(alone->segments->size() == 1);
  CHECK(alone->unavailable->isEmpty());
  // Another server's good copy serves it.
  const auto helped = Build({Server("a:1", broken), Server("b:1", Reported({"bad"}))});
  CHECK(helped->broken.empty());
  CHECK(helped->segments->size() == 2);
}

TEST_CASE("a table without a segment still has an assignment, to nobody") {
  const auto table = Build({Server("a:1", Reported({}))});
  REQUIRE(table->assignments.size() == 1);
  CHECK(table->assignments[0].shares.empty());
  CHECK(table->segments->size() == 0);
}

TEST_CASE("a name without a type is a table all the same") {
  ReportedTable table = Reported({"s"});
  table.name = "t";
  const auto catalog = BuildCatalog({Server("a:1", table)});
  CHECK(catalog->tables.at("t")->raw_name == "t");
  CHECK(catalog->FindTable("t").ok());
}

}  // namespace trellis::broker
