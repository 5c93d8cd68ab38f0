#include "server/inventory/server_inventory.h"

#include <thread>

#include "tests/unit/server/inventory/inventory_maker.h"

namespace trellis::server {
namespace {

TEST_CASE("tables are added once, found by name and removed") {
  ServerInventory inventory;
  const auto table = inventory.Table("t_OFFLINE", InfoOf("t_OFFLINE", "first"));
  CHECK(inventory.Table("t_OFFLINE", InfoOf("t_OFFLINE", "second")) == table);
  CHECK(table->current()->info().config_json == "first");
  inventory.Table("u_OFFLINE", InfoOf("u_OFFLINE"));
  CHECK(inventory.Find("t_OFFLINE") == table);
  CHECK(inventory.Find("t") == nullptr);
  CHECK(inventory.tables().size() == 2);
  inventory.Remove("t_OFFLINE");
  inventory.Remove("t_OFFLINE");
  CHECK(inventory.Find("t_OFFLINE") == nullptr);
  CHECK(table->current()->info().name == "t_OFFLINE");  // whoever holds it may go on
  const auto again = inventory.Table("t_OFFLINE", InfoOf("t_OFFLINE"));
  CHECK(again->current()->incarnation() != table->current()->incarnation());
}

TEST_CASE("two inventories are two incarnations, none of them 0") {
  const ServerInventory a;
  const ServerInventory b;
  CHECK(a.incarnation() != b.incarnation());
  CHECK(a.incarnation() != 0);
}

TEST_CASE("subscribers are told of each change until they unsubscribe") {
  ServerInventory inventory;
  int first = 0;
  int second = 0;
  CHECK(inventory.epoch() == 1);
  inventory.Changed();
  const uint64_t subscription = inventory.Subscribe([&] { ++first; });
  inventory.Subscribe([&] { ++second; });
  inventory.Changed();
  inventory.Unsubscribe(subscription);
  inventory.Unsubscribe(subscription);
  inventory.Changed();
  CHECK(first == 1);
  CHECK(second == 2);
  CHECK(inventory.epoch() == 4);
}

TEST_CASE("nobody is called after Unsubscribe has returned") {
  ServerInventory inventory;
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    while (!stop) inventory.Changed();
  });
  for (int i = 0; i < 500; ++i) {
    auto alive = std::make_unique<std::atomic<bool>>(true);
    const uint64_t subscription = inventory.Subscribe([seen = alive.get()] { CHECK(*seen); });
    std::this_thread::yield();
    inventory.Unsubscribe(subscription);
    *alive = false;
  }
  stop = true;
  changer.join();
}

}  // namespace
}  // namespace trellis::server
