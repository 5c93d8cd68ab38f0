#include <catch2/catch.hpp>

#include "tests/unit/server/service/served_leaf.h"

namespace trellis::server {
namespace {

ServedLeaf::Call Watch(ServedLeaf& served) {
  return served.Start(wire::kInventoryWatchMethod,
                      {wire::SharedBytes::Own(wire::EncodeWatchRequest())});
}

TEST_CASE("Watch tells tables, segments and broken segments, and stays open") {
  ServedLeaf served({}, StoreWithBrokenSegment());
  auto call = Watch(served);
  REQUIRE(call.collector->WaitMessages(1));
  const auto inventory = wire::DecodeInventory(call.collector->messages()[0].view).value();
  CHECK(inventory.incarnation == served.leaf.store().incarnation);
  REQUIRE(inventory.tables.size() == 2);
  const wire::TableInventory& rides = inventory.tables[0];
  CHECK(rides.table == "rides_OFFLINE");
  CHECK(rides.schema_json == served.leaf.store().tables.at("rides_OFFLINE")->schema_json);
  REQUIRE(rides.segments.size() == 6);
  CHECK(rides.segments[0].name == SegmentNames()[0]);
  CHECK(rides.segments[0].rows == 1000);
  CHECK(rides.segments[0].broken.empty());
  CHECK(rides.segments[0].start_time_ms.has_value());
  CHECK(rides.segments[5].name == "torn");
  CHECK(rides.segments[5].broken == "cut short");
  CHECK_FALSE(call.collector->ended());
}

TEST_CASE("Watch ends for every watcher when the server stops accepting") {
  ServedLeaf served;
  std::vector<ServedLeaf::Call> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(Watch(served));
  REQUIRE(calls[0].collector->WaitMessages(1));
  served.leaf.StopAccepting();
  for (const auto& call : calls)
    CHECK(call.collector->WaitDone().code() == StatusCode::kUnavailable);
  CHECK(Watch(served).collector->WaitDone().code() == StatusCode::kUnavailable);
}

TEST_CASE("a watcher that leaves is forgotten, and stopping later does not touch it") {
  ServedLeaf served;
  auto call = Watch(served);
  REQUIRE(call.collector->WaitMessages(1));
  call.stream->TryCancel();
  CHECK(call.collector->WaitDone().code() == StatusCode::kCancelled);
  served.leaf.StopAccepting();
  const auto start = std::chrono::steady_clock::now();
  served.server->Shutdown(5s);
  CHECK(std::chrono::steady_clock::now() - start < 4s);
}

TEST_CASE("bytes that are no watch request end the call") {
  ServedLeaf served;
  auto call = served.Start(wire::kInventoryWatchMethod, {wire::SharedBytes::Own("\xff\xff\xff")});
  CHECK_FALSE(call.collector->WaitDone().ok());
  CHECK(call.collector->messages().empty());
}

}  // namespace
}  // namespace trellis::server
