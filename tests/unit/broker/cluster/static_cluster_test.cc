#include "tests/unit/broker/in_process_leaf.h"

namespace trellis::broker {
namespace {

constexpr std::chrono::seconds kPatience{20};

bool Alive(const ClusterView& cluster) { return cluster.snapshot()->servers.at(0).alive; }

}  // namespace

TEST_CASE("a static cluster shows what its servers report") {
  const InProcessLeaf leaf;
  const auto cluster = MakeStaticCluster({leaf.target()});
  REQUIRE(cluster->WaitForAll(kPatience));
  const auto snapshot = cluster->snapshot();
  REQUIRE(snapshot->servers.size() == 1);
  CHECK(snapshot->servers[0].target == leaf.target());
  CHECK(snapshot->servers[0].alive);
  CHECK_FALSE(snapshot->servers[0].segment_list_encodings.empty());
  CHECK(snapshot->raw_names() == std::vector<std::string>{"rides", "stations"});
  const auto rides = snapshot->FindTable("rides");
  REQUIRE(rides.ok());
  CHECK((*rides)->segments.size() == 5);
  CHECK((*rides)->rows == kRidesRows);
  CHECK((*rides)->unavailable.empty());
  CHECK((*rides)->schema->Find("fare") != nullptr);
}

TEST_CASE("two servers with the same segments are two replicas") {
  const InProcessLeaf one;
  const InProcessLeaf two;
  const auto cluster = MakeStaticCluster({one.target(), two.target()});
  REQUIRE(cluster->WaitForAll(kPatience));
  const auto rides = cluster->snapshot()->FindTable("rides");
  REQUIRE(rides.ok());
  CHECK((*rides)->segments.at(0).servers == std::vector<uint32_t>{0, 1});
  CHECK((*rides)->assignments.size() == 2);
  CHECK((*rides)->rows == kRidesRows);
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

TEST_CASE("a lost server keeps its segments, as unavailable, until it is back") {
  auto leaf = std::make_unique<InProcessLeaf>();
  const int port = leaf->port();
  const auto cluster = MakeStaticCluster({leaf->target()});
  REQUIRE(cluster->WaitForAll(kPatience));
  const auto before = cluster->snapshot();
  leaf.reset();
  REQUIRE(Eventually([&] { return !Alive(*cluster); }));
  const auto lost = cluster->snapshot()->FindTable("rides");
  REQUIRE(lost.ok());
  CHECK((*lost)->segments.size() == 5);
  CHECK((*lost)->unavailable.size() == 5);
  CHECK((*before->FindTable("rides"))->unavailable.empty());  // snapshots do not change
  leaf = std::make_unique<InProcessLeaf>(port);
  REQUIRE(Eventually([&] { return Alive(*cluster); }));
  CHECK((*cluster->snapshot()->FindTable("rides"))->unavailable.empty());
}

}  // namespace trellis::broker
