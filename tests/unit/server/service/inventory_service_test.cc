#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/server/service/served_leaf.h"

namespace trellis::server {
namespace {

ServedLeaf::Call Watch(ServedLeaf& served, std::vector<std::string> features = {}) {
  return served.Start(
      wire::kInventoryWatchMethod,
      wire::Slices{wire::SharedBytes::Own(wire::EncodeWatchRequest({std::move(features)}))});
}

wire::Inventory MessageOf(const ServedLeaf::Call& call, size_t index) {
  REQUIRE(call.collector->WaitMessages(index + 1));
  auto inventory = wire::DecodeInventory(call.collector->messages()[index].view);
  REQUIRE(inventory.status().message() == "");
  return std::move(*inventory);
}

TEST_CASE("Watch tells tables, segments and broken segments, and stays open") {
  ServedLeaf served({}, InventoryWithBrokenSegment());
  auto call = Watch(served);
  const wire::Inventory inventory = MessageOf(call, 0);
  CHECK(inventory.incarnation == served.leaf.inventory().incarnation());
  CHECK(inventory.segment_list_encodings ==
        std::vector<std::string>{"known", "packed", "names", "legacy_json"});
  CHECK(inventory.features == std::vector<std::string>{"list_chunks", "inventory_deltas"});
  CHECK(inventory.updates.empty());
  REQUIRE(inventory.tables.size() == 1);
  const wire::TableInventory& rides = inventory.tables[0];
  CHECK(rides.table == "rides_OFFLINE");
  CHECK(rides.schema_json == ExampleRides()->info().schema_json);
  REQUIRE(rides.segments.size() == 6);
  CHECK(rides.segments[0].name == SegmentNames()[0]);
  CHECK(rides.segments[0].rows == 1000);
  CHECK(rides.segments[0].broken.empty());
  CHECK(rides.segments[0].start_time_ms.has_value());
  CHECK(rides.segments[5].name == "torn");
  CHECK(rides.segments[5].broken == "cut short");
  CHECK_FALSE(call.collector->ended());
}

TEST_CASE("a watcher without the feature is sent the whole again after each change") {
  const auto inventory = InventoryWithBrokenSegment();
  ServedLeaf served({}, inventory);
  auto call = Watch(served);
  CHECK(MessageOf(call, 0).tables.at(0).segments.size() == 6);
  inventory->Find("rides_OFFLINE")->Apply({}, std::vector<std::string>{SegmentNames()[2]});
  inventory->Changed();
  CHECK(MessageOf(call, 1).tables.at(0).segments.size() == 5);
  inventory->Remove("rides_OFFLINE");
  inventory->Changed();
  CHECK(MessageOf(call, 2).tables.empty());
}

TEST_CASE("a watcher with the feature is sent everything, then what changes") {
  const auto inventory = InventoryWithBrokenSegment();
  LeafServerOptions options;
  options.segment_list_encodings = {"names"};
  ServedLeaf served(options, inventory);
  auto call = Watch(served, {"inventory_deltas"});
  const wire::Inventory first = MessageOf(call, 0);
  CHECK(first.segment_list_encodings == std::vector<std::string>{"names"});
  CHECK(first.tables.empty());
  CHECK(first.complete);
  REQUIRE(first.updates.size() == 1);
  CHECK(first.updates[0].base_epoch == 0);
  CHECK(first.updates[0].added.size() == 5);
  const auto rides = inventory->Find("rides_OFFLINE");
  const auto base = rides->current();
  rides->Apply({}, std::vector<std::string>{SegmentNames()[2]});
  inventory->Changed();
  const wire::Inventory second = MessageOf(call, 1);
  CHECK(second.complete);
  REQUIRE(second.updates.size() == 1);
  CHECK(second.updates[0].base_epoch == base->epoch());
  CHECK(second.updates[0].dropped == Roaring::bitmapOf(1, 2));
  CHECK(second.updates[0].added.size() == 0);
  // One who comes later starts from there.
  auto late = Watch(served, {"inventory_deltas"});
  CHECK(MessageOf(late, 0).updates.at(0).added.size() == 4);
  inventory->Remove("rides_OFFLINE");
  inventory->Changed();
  CHECK(MessageOf(call, 2).updates.at(0).gone);
  CHECK(MessageOf(late, 1).updates.at(0).gone);
}

TEST_CASE("a watcher that reads slowly gets in the end what others have") {
  const auto inventory = InventoryWithBrokenSegment();
  ServedLeaf served({}, inventory);
  rpc::CallOptions slow{60s};
  slow.read_automatically = false;
  auto call = served.Start(
      wire::kInventoryWatchMethod,
      wire::Slices{wire::SharedBytes::Own(wire::EncodeWatchRequest({{"inventory_deltas"}}))}, slow);
  REQUIRE(call.collector->WaitMessages(1));
  const auto rides = inventory->Find("rides_OFFLINE");
  for (const std::string& name : SegmentNames()) {
    rides->Apply({}, std::vector<std::string>{name});
    inventory->Changed();
  }
  std::map<uint32_t, std::string> known;
  uint64_t epoch = 0;
  for (size_t i = 0; epoch != rides->current()->epoch(); ++i) {
    const wire::Inventory message = MessageOf(call, i);
    for (const wire::TableUpdate& update : message.updates) {
      CHECK(update.base_epoch == epoch);
      for (const uint32_t ordinal : update.dropped) CHECK(known.erase(ordinal) == 1);
      for (size_t row = 0; row < update.added.size(); ++row)
        known[update.added.ordinals[row]] = update.added.names[row];
      epoch = update.epoch;
    }
    if (epoch != rides->current()->epoch()) call.stream->ReadNext();
  }
  CHECK(known.empty());
  call.stream->TryCancel();
}

TEST_CASE("changes while watchers come and go leave nobody behind and nothing broken") {
  const auto inventory = InventoryWithBrokenSegment();
  ServedLeaf served({}, inventory);
  const auto rides = inventory->Find("rides_OFFLINE");
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    while (!stop) {
      rides->Apply(RidesSegments(), {});
      inventory->Changed();
      std::this_thread::sleep_for(1ms);
    }
  });
  for (int i = 0; i < 50; ++i) {
    auto call = Watch(served, i % 2 == 0 ? std::vector<std::string>{"inventory_deltas"}
                                         : std::vector<std::string>());
    CHECK(call.collector->WaitMessages(1 + static_cast<size_t>(i) % 4));
    call.stream->TryCancel();
    CHECK(call.collector->WaitDone().code() == StatusCode::kCancelled);
  }
  stop = true;
  changer.join();
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
  served.server->Shutdown(std::chrono::hours(1));  // a call left behind would hold it for so long
}

TEST_CASE("bytes that are no watch request end the call") {
  ServedLeaf served;
  auto call = served.Start(wire::kInventoryWatchMethod,
                           wire::Slices{wire::SharedBytes::Own("\xff\xff\xff")});
  CHECK_FALSE(call.collector->WaitDone().ok());
  CHECK(call.collector->messages().empty());
}

}  // namespace
}  // namespace trellis::server
