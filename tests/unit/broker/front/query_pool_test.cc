#include "broker/front/query_pool.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <memory>

namespace trellis::broker {
namespace {

// A query that holds its thread until it is let go.
class Gate {
 public:
  std::function<void()> Query() {
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

TEST_CASE("every query taken is run") {
  std::atomic<int> runs{0};
  {
    QueryPool pool(3, 1'000);
    for (int i = 0; i < 200; ++i) REQUIRE(pool.Submit([&] { ++runs; }));
  }
  CHECK(runs == 200);
}

TEST_CASE("beyond the running and the waiting queries more are refused") {
  Gate gate;
  std::atomic<int> runs{0};
  QueryPool pool(1, 2);
  REQUIRE(pool.Submit(gate.Query()));
  gate.WaitStarted();
  CHECK(pool.Submit([&] { ++runs; }));
  CHECK(pool.Submit([&] { ++runs; }));
  CHECK_FALSE(pool.Submit([&] { runs += 100; }));
  CHECK_FALSE(pool.draining());
  gate.Open();
  pool.Drain();
  CHECK(runs == 2);
}

TEST_CASE("without a waiting room free threads still take queries") {
  Gate first;
  Gate second;
  QueryPool pool(2, 0);  // ends before what its queries use
  CHECK(pool.Submit(first.Query()));
  CHECK(pool.Submit(second.Query()));
  CHECK_FALSE(pool.Submit([] {}));
  first.Open();
  second.Open();
}

TEST_CASE("no more queries run at a time than there are threads") {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  {
    QueryPool pool(2, 1'000);
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

TEST_CASE("a drain refuses new queries and returns when the taken ones are done") {
  Gate gate;
  std::atomic<int> runs{0};
  QueryPool pool(1, 10);
  REQUIRE(pool.Submit(gate.Query()));
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

TEST_CASE("what a query holds is let go before the drain is over") {
  QueryPool pool(1, 10);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  REQUIRE(pool.Submit([held = std::move(held)] {}));
  pool.Drain();
  CHECK(watched.expired());
}

}  // namespace trellis::broker
