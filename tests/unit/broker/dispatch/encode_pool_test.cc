#include "broker/dispatch/encode_pool.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <future>

namespace trellis::broker {

TEST_CASE("every task runs, on another thread, before the pool is gone") {
  std::atomic<int> ran{0};
  std::atomic<bool> elsewhere{true};
  {
    EncodePool pool(2, 1'000);
    for (int i = 0; i < 500; ++i) {
      REQUIRE(pool.Submit([&, caller = std::this_thread::get_id()] {
        if (std::this_thread::get_id() == caller) elsewhere = false;
        ++ran;
      }));
    }
  }
  CHECK(ran == 500);
  CHECK(elsewhere);
}

TEST_CASE("a full pool refuses, and takes again when there is room") {
  std::promise<void> started;
  std::promise<void> release;
  std::promise<void> second;
  EncodePool pool(1, 1);
  REQUIRE(pool.Submit([&] {
    started.set_value();
    release.get_future().wait();
  }));
  started.get_future().wait();
  REQUIRE(pool.Submit([&] { second.set_value(); }));
  CHECK_FALSE(pool.Submit([] {}));
  release.set_value();
  second.get_future().wait();
  CHECK(pool.Submit([] {}));
}

TEST_CASE("tasks run side by side, on as many threads as the machine has") {
  std::promise<void> ran;
  EncodePool pool;  // after what its tasks use: it waits for them
  CHECK(pool.Submit([&] { ran.set_value(); }));
  ran.get_future().wait();
  std::promise<void> first;
  std::promise<void> both;
  EncodePool two(2);
  // Each waits for the other: on one thread this would never end.
  CHECK(two.Submit([&] {
    first.set_value();
    both.get_future().wait();
  }));
  CHECK(two.Submit([&] {
    first.get_future().wait();
    both.set_value();
  }));
}

}  // namespace trellis::broker
