#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace trellis::broker {

// When to ask a second replica: after the time that 95 of 100 recent attempts needed on a server in
// the middle of all (the faster one of two: a slow server must not make its own slowness the
// rule); and how often: so that servers that are slow because they have too much to do do not get
// twice as much. One for a broker. Thread-safe; each call costs about a microsecond at most.
class HedgeDelay {
 public:
  struct Options {
    std::chrono::microseconds delay_min{20'000};
    std::chrono::microseconds delay_max{1'000'000};
    std::chrono::microseconds delay_unknown{100'000};  // until enough attempts have been seen
    double hedges_per_attempt = 0.1;
    double burst = 20;  // hedges beyond that
  };
  explicit HedgeDelay(const Options& options) : options_(options), budget_(options.burst) {}
  HedgeDelay() : HedgeDelay(Options()) {}

  // An attempt has begun: earns a part of a hedge.
  void Started();
  // An attempt on this server took this long.
  void Observe(const std::string& server, std::chrono::microseconds elapsed);
  std::chrono::microseconds Delay() const;
  // Takes one hedge from the budget; false when there is none.
  bool Take();

 private:
  // Times of one server.
  struct Times {
    static constexpr size_t kBuckets = 160;  // four a doubling: of 1 us to more than a week
    std::array<float, kBuckets> seen{};      // decaying counts
    float total = 0;
  };
  std::chrono::microseconds Part(const Times& times) const;
  void Renew();  // REQUIRES: mutex_ held

  Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, Times> servers_;             // guarded by mutex_
  std::optional<std::chrono::microseconds> middle_;  // guarded by mutex_
  uint64_t observed_ = 0;                            // guarded by mutex_
  uint64_t renew_at_ = 0;                            // guarded by mutex_
  double budget_;                                    // guarded by mutex_
};

}  // namespace trellis::broker
