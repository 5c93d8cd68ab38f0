#include "broker/query/away_servers.h"

#include <catch2/catch.hpp>

namespace trellis::broker {
namespace {

CatalogSnapshot Servers(bool alive, bool reported = true) {
  CatalogSnapshot snapshot;
  snapshot.servers.resize(2);
  snapshot.servers[0].target = "a";
  snapshot.servers[0].alive = snapshot.servers[0].reported = true;
  snapshot.servers[1].target = "b";
  snapshot.servers[1].alive = alive;
  snapshot.servers[1].reported = reported;
  return snapshot;
}

}  // namespace

TEST_CASE("a server that has gone is worth waiting for until it has been away for a while") {
  AwayServers away;
  const AwayServers::Clock::time_point start{};
  CHECK_FALSE(away.AnyRecent(Servers(true), start));
  CHECK(away.AnyRecent(Servers(false), start));
  CHECK(away.AnyRecent(Servers(false), start + AwayServers::kRecent / 2));
  CHECK_FALSE(away.AnyRecent(Servers(false), start + AwayServers::kRecent));
  // Back, and gone again: a new absence.
  CHECK_FALSE(away.AnyRecent(Servers(true), start + 2 * AwayServers::kRecent));
  CHECK(away.AnyRecent(Servers(false), start + 3 * AwayServers::kRecent));
}

TEST_CASE("nobody waits for a server that was never there") {
  AwayServers away;
  CHECK_FALSE(away.AnyRecent(Servers(false, false), {}));
}

}  // namespace trellis::broker
