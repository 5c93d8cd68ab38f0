#include "broker/dispatch/hedge_delay.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace trellis::broker {

using std::chrono::microseconds;

TEST_CASE("until attempts have been seen the delay is what the options say") {
  HedgeDelay delay({.delay_min = microseconds(10), .delay_unknown = microseconds(5'000)});
  for (int i = 0; i < 9; ++i) delay.Observe("a", microseconds(100));
  CHECK(delay.Delay() == microseconds(5'000));
  delay.Observe("a", microseconds(100));
  CHECK(delay.Delay() < microseconds(130));
}

TEST_CASE("the delay is what 95 of 100 attempts needed, to a fifth") {
  HedgeDelay delay({.delay_min = microseconds(1), .delay_max = microseconds(100'000'000)});
  for (int us = 1'000; us <= 100'000; us += 1'000) delay.Observe("a", microseconds(us));
  CHECK(delay.Delay() >= microseconds(95'000));
  CHECK(delay.Delay() <= microseconds(95'000 * 12 / 10));
}

TEST_CASE("the delay keeps to its floor and its cap") {
  HedgeDelay fast;
  HedgeDelay slow;
  for (int i = 0; i < 100; ++i) {
    fast.Observe("a", microseconds(0));
    slow.Observe("a", std::chrono::hours(1'000'000));
  }
  CHECK(fast.Delay() == std::chrono::milliseconds(20));
  CHECK(slow.Delay() == std::chrono::seconds(1));
  const HedgeDelay::Options over{.delay_min = microseconds(9), .delay_max = microseconds(3)};
  CHECK(HedgeDelay(over).Delay() == microseconds(9));
}

TEST_CASE("a slow server does not make its own slowness the rule") {
  HedgeDelay delay({.delay_min = microseconds(1), .delay_max = microseconds(100'000'000)});
  for (int i = 0; i < 100; ++i) {
    delay.Observe("slow", microseconds(200'000));
    delay.Observe("fast", microseconds(1'000));
  }
  CHECK(delay.Delay() >= microseconds(1'000));
  CHECK(delay.Delay() <= microseconds(1'200));
  // Of three servers the middle one counts.
  for (int i = 0; i < 100; ++i) delay.Observe("between", microseconds(30'000));
  CHECK(delay.Delay() >= microseconds(30'000));
  CHECK(delay.Delay() <= microseconds(36'000));
}

TEST_CASE("old attempts fade") {
  HedgeDelay delay({.delay_min = microseconds(1), .delay_max = microseconds(100'000'000)});
  for (int i = 0; i < 10'000; ++i) delay.Observe("a", microseconds(500'000));
  CHECK(delay.Delay() >= microseconds(500'000));
  for (int i = 0; i < 10'000; ++i) delay.Observe("a", microseconds(1'000));
  CHECK(delay.Delay() <= microseconds(1'200));
}

TEST_CASE("hedges are a tenth of the attempts and a burst") {
  HedgeDelay delay;
  int taken = 0;
  while (delay.Take()) ++taken;
  CHECK(taken == 20);
  for (int i = 0; i < 105; ++i) delay.Started();
  for (taken = 0; delay.Take(); ++taken) continue;
  CHECK(taken == 10);
  for (int i = 0; i < 10'000; ++i) delay.Started();
  for (taken = 0; delay.Take(); ++taken) continue;
  CHECK(taken == 20);  // what is not used does not pile up
}

TEST_CASE("many threads use one delay") {
  HedgeDelay delay;
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1'000; ++i) {
        delay.Observe("a", microseconds(30'000));
        (void)delay.Delay();
        if (delay.Take()) ++taken;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(taken == 20);
  CHECK(delay.Delay() >= microseconds(30'000));
}

}  // namespace trellis::broker
