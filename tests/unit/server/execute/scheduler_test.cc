#include "server/execute/scheduler.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <string>

namespace trellis::server {
namespace {

using namespace std::chrono_literals;

// Steps numbered 0..steps-1; tells when the last of them has ended.
class CountedWork : public Work {
 public:
  CountedWork(size_t steps, size_t parallelism_max, std::function<void(size_t)> step = {})
      : parallelism_max_(parallelism_max), step_(std::move(step)), runs_(steps), left_(steps) {}

  bool RunStep() override {
    const size_t index = next_.fetch_add(1);
    if (index >= runs_.size()) return false;
    const size_t now = running_.fetch_add(1) + 1;
    size_t seen = running_most_.load();
    while (seen < now && !running_most_.compare_exchange_weak(seen, now)) {
    }
    if (step_) step_(index);
    runs_[index].fetch_add(1);
    running_.fetch_sub(1);
    if (left_.fetch_sub(1) == 1) done_.set_value();
    return true;
  }
  size_t parallelism_max() const override { return parallelism_max_; }

  bool WaitDone() { return ended_.wait_for(30s) == std::future_status::ready; }
  size_t running_most() const { return running_most_.load(); }
  bool EachOnce() const {
    for (const auto& count : runs_)
      if (count.load() != 1) return false;
    return true;
  }

 private:
  size_t parallelism_max_;
  std::function<void(size_t)> step_;
  std::vector<std::atomic<int>> runs_;
  std::atomic<size_t> left_;
  std::atomic<size_t> next_{0};
  std::atomic<size_t> running_{0};
  std::atomic<size_t> running_most_{0};
  std::promise<void> done_;
  std::future<void> ended_ = done_.get_future();
};

TEST_CASE("a work of few steps ends long before one of many that came first") {
  std::atomic<size_t> long_steps{0};
  std::promise<void> both_queued;
  std::shared_future<void> go = both_queued.get_future().share();
  auto long_work = std::make_shared<CountedWork>(1000, 8, [&](size_t) {
    go.wait();
    ++long_steps;
  });
  size_t seen_at_end = 0;
  auto short_work =
      std::make_shared<CountedWork>(10, 8, [&](size_t) { seen_at_end = long_steps.load(); });
  Scheduler scheduler(1);
  scheduler.Submit(long_work);
  scheduler.Submit(short_work);
  both_queued.set_value();
  REQUIRE(short_work->WaitDone());
  // One thread, two works in turn: some ten steps of the long one come between.
  CHECK(seen_at_end >= 9);
  CHECK(seen_at_end <= 12);
  REQUIRE(long_work->WaitDone());
}

TEST_CASE("no more threads run a work than it allows, and as many do") {
  for (const size_t allowed : {1, 2, 3}) {
    INFO("parallelism_max " << allowed);
    std::atomic<size_t> inside{0};
    auto work = std::make_shared<CountedWork>(60, allowed, [&](size_t) {
      // Waits a while for the company that the work allows.
      ++inside;
      const auto until = std::chrono::steady_clock::now() + 20ms;
      while (inside.load() < allowed && std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
      --inside;
    });
    Scheduler scheduler(4);
    scheduler.Submit(work);
    REQUIRE(work->WaitDone());
    CHECK(work->running_most() == allowed);
  }
}

TEST_CASE("under load every step of every work runs exactly once") {
  std::vector<std::shared_ptr<CountedWork>> works;
  {
    Scheduler scheduler(8);
    CHECK(scheduler.thread_count() == 8);
    std::vector<std::thread> clients;
    for (size_t i = 0; i < 200; ++i)
      works.push_back(std::make_shared<CountedWork>(1 + i * 7 % 50, 1 + i % 9));
    for (size_t client = 0; client < 4; ++client) {
      clients.emplace_back([&, client] {
        for (size_t i = client; i < works.size(); i += 4) scheduler.Submit(works[i]);
      });
    }
    for (std::thread& client : clients) client.join();
    bool all_ended = true;
    for (const auto& work : works) all_ended &= work->WaitDone();
    REQUIRE(all_ended);
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (scheduler.queued() != 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    CHECK(scheduler.queued() == 0);
  }
  for (size_t i = 0; i < works.size(); ++i) {
    INFO("work " << i);
    CHECK(works[i]->EachOnce());
    CHECK(works[i]->running_most() <= 1 + i % 9);
    CHECK(works[i].use_count() == 1);
  }
}

TEST_CASE("a scheduler that dies waits for the step that runs and drops the others") {
  std::promise<void> started;
  std::atomic<size_t> ended{0};
  auto work = std::make_shared<CountedWork>(1000, 1, [&](size_t index) {
    if (index == 0) started.set_value();
    std::this_thread::sleep_for(50ms);
    ++ended;
  });
  {
    Scheduler scheduler(2);
    scheduler.Submit(work);
    started.get_future().wait();
  }
  CHECK(ended.load() >= 1);
  CHECK(ended.load() < 10);
  CHECK(work.use_count() == 1);
}

TEST_CASE("a task runs once, and what it holds goes with it") {
  auto held = std::make_shared<int>(0);
  std::atomic<int> runs{0};
  Scheduler scheduler(3);
  for (int i = 0; i < 100; ++i) scheduler.Submit([held, &runs] { ++runs; });
  const auto until = std::chrono::steady_clock::now() + 10s;
  while ((runs < 100 || held.use_count() > 1 || scheduler.queued() > 0) &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  CHECK(runs == 100);
  CHECK(held.use_count() == 1);
  CHECK(scheduler.queued() == 0);
}

TEST_CASE("a scheduler of no threads has one") { CHECK(Scheduler(0).thread_count() == 1); }

}  // namespace
}  // namespace trellis::server
