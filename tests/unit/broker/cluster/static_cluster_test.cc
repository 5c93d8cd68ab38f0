#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "broker/cluster/cluster_view.h"
#include "common/telemetry/metrics.h"
#include "tests/unit/broker/catalog/announced.h"
#include "tests/unit/broker/cluster/fake_inventory.h"

namespace trellis::broker {
namespace {

using Names = std::vector<std::string>;
constexpr std::chrono::seconds kPatience{20};

bool Eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// A target where nobody listens.
std::string DeadTarget() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  socklen_t size = sizeof(address);
  REQUIRE(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  close(fd);
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

wire::Inventory Message(std::vector<wire::TableUpdate> updates, bool complete) {
  wire::Inventory inventory;
  inventory.build_version = "2.0";
  inventory.segment_list_encodings = {"known", "names"};
  inventory.features = {wire::kInventoryDeltasFeature, wire::kListChunksFeature};
  inventory.updates = std::move(updates);
  inventory.complete = complete;
  return inventory;
}

// Names of a table's segments now; empty if there is no such table.
Names SegmentsNow(const ClusterView& cluster, const std::string& table = "t_OFFLINE") {
  const auto snapshot = cluster.snapshot();
  const auto found = snapshot->tables.find(table);
  return found == snapshot->tables.end() ? Names{} : NamesOf(*found->second);
}
bool Becomes(const ClusterView& cluster, const Names& names,
             const std::string& table = "t_OFFLINE") {
  return Eventually([&] { return SegmentsNow(cluster, table) == names; });
}
bool Alive(const ClusterView& cluster, size_t server = 0) {
  return cluster.snapshot()->servers.at(server).alive;
}

double MetricNow(const std::string& name) {
  const std::string text = MetricsText();
  const auto at = text.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size() + 2));
}

}  // namespace

TEST_CASE("a cluster shows what its servers tell, once a server has told everything") {
  FakeInventory server;
  const auto cluster = MakeStaticCluster({server.target()});
  CHECK(server.WaitForWatch(1).features == Names{wire::kInventoryDeltasFeature});
  wire::TableUpdate first = FullUpdate(7, 3, BatchOf({{0, "a"}}));
  first.more = true;
  server.Send(Message({first}, false));
  wire::TableUpdate second = FullUpdate(7, 3, BatchOf({{1, "b"}}));
  second.description.reset();
  server.Send(Message({second, FullUpdate(9, 1, BatchOf({{0, "x"}}), "u_REALTIME")}, false));
  REQUIRE(Eventually([&] { return server.sent() == 2; }));
  CHECK_FALSE(cluster->WaitForAll(std::chrono::milliseconds(50)));
  CHECK(cluster->snapshot()->tables.empty());
  server.Send(Message({}, true));
  REQUIRE(cluster->WaitForAll(kPatience));
  const auto snapshot = cluster->snapshot();
  const ServerEntry& entry = snapshot->servers.at(0);
  CHECK(entry.target == server.target());
  CHECK(entry.alive);
  CHECK(entry.segment_list_encodings == Names{"known", "names"});
  CHECK(entry.build_version == "2.0");
  CHECK(entry.reads_list_chunks);
  CHECK(SegmentsNow(*cluster) == Names{"a", "b"});
  CHECK(SegmentsNow(*cluster, "u_REALTIME") == Names{"x"});
  const ServerPart& part = *snapshot->tables.at("t_OFFLINE")->parts.at(0);
  CHECK(part.numbered);
  CHECK(part.incarnation == 7);
  CHECK(part.epoch == 3);
  CHECK(MetricNow("trellis_broker_segments") == 3);
  CHECK(MetricNow("trellis_broker_servers_alive") == 1);
}

TEST_CASE("deltas, and tables that come and go, are followed") {
  FakeInventory server;
  const auto cluster = MakeStaticCluster({server.target()});
  server.WaitForWatch(1);
  server.Send(Message({FullUpdate(7, 1, BatchOf({{0, "a"}, {1, "b"}}))}, true));
  REQUIRE(Becomes(*cluster, {"a", "b"}));
  server.Send(Message({DeltaUpdate(7, 1, 2, BatchOf({{2, "c"}}), Roaring::bitmapOf(1, 0))}, true));
  REQUIRE(Becomes(*cluster, {"b", "c"}));
  server.Send(Message({FullUpdate(3, 1, BatchOf({{0, "x"}}), "u_OFFLINE")}, true));
  REQUIRE(Becomes(*cluster, {"x"}, "u_OFFLINE"));
  // A re-base: a new incarnation of one table, in the same watch.
  server.Send(Message({FullUpdate(8, 2, BatchOf({{0, "b"}, {1, "c"}}))}, true));
  REQUIRE(Eventually(
      [&] { return cluster->snapshot()->tables.at("t_OFFLINE")->parts.at(0)->incarnation == 8; }));
  wire::TableUpdate gone;
  gone.table = "t_OFFLINE";
  gone.gone = true;
  server.Send(Message({gone}, true));
  REQUIRE(Eventually([&] { return cluster->snapshot()->tables.size() == 1; }));
  CHECK(SegmentsNow(*cluster, "u_OFFLINE") == Names{"x"});
  CHECK(server.watches() == 1);
}

TEST_CASE("after a lost delta everything is asked for anew, and the old state serves meanwhile") {
  FakeInventory server;
  const auto cluster = MakeStaticCluster({server.target()});
  server.WaitForWatch(1);
  server.Send(Message({FullUpdate(7, 1, BatchOf({{0, "a"}}))}, true));
  REQUIRE(Becomes(*cluster, {"a"}));
  const double before = MetricNow("trellis_broker_inventory_restarts_total");
  server.Send(Message({DeltaUpdate(7, 2, 3, BatchOf({{5, "z"}}))}, true));
  server.WaitForWatch(2);
  CHECK(Alive(*cluster));
  CHECK(SegmentsNow(*cluster) == Names{"a"});
  wire::TableUpdate full = FullUpdate(7, 3, BatchOf({{0, "a"}, {4, "y"}}));
  full.more = true;
  server.Send(Message({full}, false));
  REQUIRE(Eventually([&] { return server.sent() == 1; }));
  CHECK(SegmentsNow(*cluster) == Names{"a"});
  wire::TableUpdate rest = FullUpdate(7, 3, BatchOf({{5, "z"}}));
  rest.description.reset();
  server.Send(Message({rest}, true));
  REQUIRE(Becomes(*cluster, {"a", "y", "z"}));
  CHECK(Alive(*cluster));
  CHECK(MetricNow("trellis_broker_inventory_restarts_total") == before + 1);
}

TEST_CASE("a message that is not one is answered with a new watch") {
  FakeInventory server;
  const auto cluster = MakeStaticCluster({server.target()});
  server.WaitForWatch(1);
  server.SendBytes("\xff\xff\xff\xff");
  server.WaitForWatch(2);
  CHECK_FALSE(Alive(*cluster));
  server.Send(Message({FullUpdate(7, 1, BatchOf({{0, "a"}}))}, true));
  REQUIRE(Becomes(*cluster, {"a"}));
  CHECK(Alive(*cluster));
}

TEST_CASE("a lost server keeps its segments, as unavailable, until it is back") {
  auto server = std::make_unique<FakeInventory>();
  const int port = server->port();
  const auto cluster = MakeStaticCluster({server->target()});
  server->WaitForWatch(1);
  server->Send(Message({FullUpdate(7, 1, BatchOf({{0, "a"}, {1, "b"}})),
                        FullUpdate(7, 1, BatchOf({{0, "x"}}), "u_OFFLINE")},
                       true));
  REQUIRE(cluster->WaitForAll(kPatience));
  const auto before = cluster->snapshot();
  server.reset();
  REQUIRE(Eventually([&] { return !Alive(*cluster); }));
  const auto lost = cluster->snapshot()->tables.at("t_OFFLINE");
  CHECK(lost->segments == before->tables.at("t_OFFLINE")->segments);
  CHECK(lost->unavailable->cardinality() == 2);
  CHECK(before->tables.at("t_OFFLINE")->unavailable->isEmpty());  // snapshots do not change
  // It comes back in another life, without one of its tables, as alive once it has told all.
  server = std::make_unique<FakeInventory>(port);
  server->WaitForWatch(1);
  server->Send(Message({FullUpdate(12, 1, BatchOf({{0, "b"}, {1, "c"}}))}, false));
  REQUIRE(Eventually([&] { return server->sent() == 1; }));
  CHECK_FALSE(Alive(*cluster));
  server->Send(Message({}, true));
  REQUIRE(Becomes(*cluster, {"b", "c"}));
  CHECK(Alive(*cluster));
  CHECK_FALSE(cluster->snapshot()->tables.contains("u_OFFLINE"));
  CHECK(cluster->snapshot()->tables.at("t_OFFLINE")->parts.at(0)->incarnation == 12);
}

TEST_CASE("a watch that the server ends is begun again") {
  FakeInventory server;
  const auto cluster = MakeStaticCluster({server.target()});
  server.WaitForWatch(1);
  server.Send(Message({FullUpdate(7, 1, BatchOf({{0, "a"}}))}, true));
  REQUIRE(Becomes(*cluster, {"a"}));
  server.End();
  server.WaitForWatch(2);
  REQUIRE(Eventually([&] { return !Alive(*cluster); }));
  server.Send(Message({FullUpdate(7, 2, BatchOf({{0, "a"}, {1, "b"}}))}, true));
  REQUIRE(Becomes(*cluster, {"a", "b"}));
  CHECK(Alive(*cluster));
}

TEST_CASE("two servers with the same segments are two replicas, each at its own epoch") {
  FakeInventory one;
  FakeInventory two;
  const auto cluster = MakeStaticCluster({one.target(), two.target()});
  one.WaitForWatch(1);
  two.WaitForWatch(1);
  one.Send(Message({FullUpdate(1, 5, BatchOf({{0, "a"}, {1, "b"}}))}, true));
  REQUIRE(Becomes(*cluster, {"a", "b"}));
  CHECK_FALSE(cluster->WaitForAll(std::chrono::milliseconds(0)));
  two.Send(Message({FullUpdate(2, 9, BatchOf({{3, "b"}, {7, "a"}}))}, true));
  REQUIRE(cluster->WaitForAll(kPatience));
  const auto table = cluster->snapshot()->tables.at("t_OFFLINE");
  REQUIRE(table->parts.size() == 2);
  CHECK(table->assignments.size() == 2);
  CHECK(table->parts[0]->epoch == 5);
  CHECK(table->parts[1]->epoch == 9);
  CHECK(table->parts[1]->ordinals == std::vector<uint32_t>{7, 3});
}

TEST_CASE("a server that knows no deltas tells its whole inventory with each message") {
  FakeInventory server;
  const auto cluster = MakeStaticCluster({server.target()});
  server.WaitForWatch(1);
  wire::Inventory whole;
  whole.build_version = "1.0";
  whole.segment_list_encodings = {"names"};
  const auto entry = [](std::string name) {
    return wire::SegmentEntry{std::move(name), 1, 5, {}, {}, ""};
  };
  whole.tables = {{"t_OFFLINE", kAnnouncedSchema, "", {entry("a"), entry("b")}, ""},
                  {"u_OFFLINE", kAnnouncedSchema, "", {}, ""}};
  server.Send(whole);
  REQUIRE(cluster->WaitForAll(kPatience));
  CHECK(SegmentsNow(*cluster) == Names{"a", "b"});
  CHECK_FALSE(cluster->snapshot()->tables.at("t_OFFLINE")->parts.at(0)->numbered);
  CHECK_FALSE(cluster->snapshot()->servers.at(0).reads_list_chunks);
  whole.tables = {{"t_OFFLINE", kAnnouncedSchema, "", {entry("c")}, ""}};
  server.Send(whole);
  REQUIRE(Becomes(*cluster, {"c"}));
  CHECK(cluster->snapshot()->tables.size() == 1);
}

TEST_CASE("a server that is not there is not waited for beyond the timeout") {
  const auto cluster = MakeStaticCluster({DeadTarget()});
  CHECK_FALSE(cluster->WaitForAll(std::chrono::milliseconds(100)));
  const auto snapshot = cluster->snapshot();
  REQUIRE(snapshot != nullptr);
  REQUIRE(snapshot->servers.size() == 1);
  CHECK_FALSE(snapshot->servers[0].alive);
  CHECK(snapshot->tables.empty());
}

TEST_CASE("connections are those of the given servers") {
  const std::string target = DeadTarget();
  const auto cluster = MakeStaticCluster({target});
  REQUIRE(cluster->channel(target) != nullptr);
  CHECK(cluster->channel(target)->target() == target);
  CHECK(cluster->channel("127.0.0.1:1") == nullptr);
}

}  // namespace trellis::broker
