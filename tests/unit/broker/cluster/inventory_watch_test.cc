#include "broker/cluster/inventory_watch.h"

#include <catch2/catch.hpp>
#include <thread>

#include "tests/unit/broker/cluster/fake_inventory.h"

namespace trellis::broker {
namespace {

using Clock = std::chrono::steady_clock;

// The next event, which must come.
WatchEvent Next(WatchMailbox& mailbox) {
  auto events = mailbox.Take(Clock::now() + std::chrono::seconds(20));
  REQUIRE(events.size() == 1);
  return std::move(events.front());
}

// A watch is one call and does not try again: the connection must stand.
std::shared_ptr<rpc::Channel> Connect(const FakeInventory& server) {
  auto channel = rpc::Channel::Create(server.target());
  REQUIRE(channel->WaitConnected(std::chrono::seconds(20)).ok());
  return channel;
}

}  // namespace

TEST_CASE("messages come one at a time, each when it is asked for") {
  FakeInventory server;
  const auto mailbox = std::make_shared<WatchMailbox>();
  InventoryWatch watch(Connect(server), mailbox, 4, 17);
  server.WaitForWatch(1);
  for (const char* version : {"a", "b", "c"}) {
    wire::Inventory inventory;
    inventory.build_version = version;
    server.Send(inventory);
  }
  for (const char* version : {"a", "b", "c"}) {
    const auto event = Next(*mailbox);
    CHECK(event.server == 4);
    CHECK(event.watch == 17);
    REQUIRE(event.inventory);
    CHECK(wire::DecodeInventory(event.inventory->view)->build_version == version);
    CHECK(mailbox->Take(Clock::now() + std::chrono::milliseconds(20)).empty());
    watch.Next();
  }
  server.End(Status::Internal("enough"));
  const auto end = Next(*mailbox);
  CHECK_FALSE(end.inventory);
  CHECK(end.ended.message().find("enough") != std::string::npos);
}

TEST_CASE("a watch that ends well has ended all the same") {
  FakeInventory server;
  const auto mailbox = std::make_shared<WatchMailbox>();
  const InventoryWatch watch(Connect(server), mailbox, 0, 1);
  server.WaitForWatch(1);
  server.End();
  CHECK(Next(*mailbox).ended.code() == StatusCode::kUnavailable);
}

TEST_CASE("a watch that goes is cancelled on the server") {
  FakeInventory server;
  const auto mailbox = std::make_shared<WatchMailbox>();
  auto watch = std::make_unique<InventoryWatch>(Connect(server), mailbox, uint32_t{0}, uint64_t{1});
  server.WaitForWatch(1);
  watch.reset();
  CHECK(Next(*mailbox).ended.code() == StatusCode::kCancelled);
}

TEST_CASE("a mailbox that stops wakes its taker") {
  WatchMailbox mailbox;
  std::thread stopper([&] { mailbox.Stop(); });
  CHECK(mailbox.Take(Clock::now() + std::chrono::hours(1)).empty());
  CHECK(mailbox.stopped());
  stopper.join();
}

}  // namespace trellis::broker
