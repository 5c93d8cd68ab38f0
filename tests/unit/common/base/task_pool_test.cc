#include "common/base/task_pool.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <memory>

namespace trellis {
namespace {

// A task that holds its thread until it is let go.
class Gate {
 public:
  std::function<void()> Task() {
    return [this] {
      ++started_;
      open_.get_future().share().wait();
      ++done_;
    };
  }
  void WaitStarted() const {
    while (started_ == 0) std::this_thread::yield();
  }
  void Open() { open_.set_value(); }
  int done() const { return done_; }

 private:
  std::promise<void> open_;
  std::atomic<int> started_{0};
  std::atomic<int> done_{0};
};

}  // namespace

TEST_CASE("every task taken is run") {
  std::atomic<int> runs{0};
  {
    TaskPool pool(3, 1'000);
    for (int i = 0; i < 200; ++i) REQUIRE(pool.Submit([&] { ++runs; }));
  }
  CHECK(runs == 200);
}

TEST_CASE("beyond the running and the waiting tasks more are refused") {
  Gate gate;
  std::atomic<int> runs{0};
  TaskPool pool(1, 2);
  REQUIRE(pool.Submit(gate.Task()));
  gate.WaitStarted();
  CHECK(pool.Submit([&] { ++runs; }));
  CHECK(pool.Submit([&] { ++runs; }));
  CHECK_FALSE(pool.Submit([&] { runs += 100; }));
  CHECK_FALSE(pool.draining());
  gate.Open();
  pool.Drain();
  CHECK(runs == 2);
}

TEST_CASE("without a waiting room free threads still take tasks") {
  Gate first;
  Gate second;
  TaskPool pool(2, 0);  // ends before what its tasks use
  CHECK(pool.Submit(first.Task()));
  CHECK(pool.Submit(second.Task()));
  CHECK_FALSE(pool.Submit([] {}));
  first.Open();
  second.Open();
}

TEST_CASE("no more tasks run at a time than there are threads") {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  {
    TaskPool pool(2, 1'000);
    for (int i = 0; i < 100; ++i) {
      REQUIRE(pool.Submit([&] {
        const int now = ++running;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        --running;
      }));
    }
  }
  CHECK(most >= 1);
  CHECK(most <= 2);
}

TEST_CASE("a drain refuses new tasks and returns when the taken ones are done") {
  Gate gate;
  std::atomic<int> runs{0};
  TaskPool pool(1, 10);
  REQUIRE(pool.Submit(gate.Task()));
  REQUIRE(pool.Submit([&] { ++runs; }));
  gate.WaitStarted();
  auto drained = std::async(std::launch::async, [&] { pool.Drain(); });
  while (!pool.draining()) std::this_thread::yield();
  CHECK_FALSE(pool.Submit([&] { runs += 100; }));
  CHECK(drained.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  gate.Open();
  drained.get();
  CHECK(gate.done() == 1);
  CHECK(runs == 1);
}

TEST_CASE("what a task holds is let go before the drain is over") {
  TaskPool pool(1, 10);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  REQUIRE(pool.Submit([held = std::move(held)] {}));
  pool.Drain();
  CHECK(watched.expired());
}

TEST_CASE("every task runs, on another thread, before the pool is gone") {
  std::atomic<int> ran{0};
  std::atomic<bool> elsewhere{true};
  {
    TaskPool pool(2, 1'000);
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
  TaskPool pool(1, 1);
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
  TaskPool pool(0, 256);  // after what its tasks use: it waits for them
  CHECK(pool.Submit([&] { ran.set_value(); }));
  ran.get_future().wait();
  std::promise<void> first;
  std::promise<void> both;
  TaskPool two(2, 256);
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

}  // namespace trellis
