#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace trellis::broker {

// When to ask a second replica: after the time that 95 of 100 recent attempts needed; and how
// often: so that servers that are slow because they have too much to do do not get twice as much.
// One for a broker. Thread-safe; each call costs well under a microsecond.
class HedgeDelay {
 public:
  struct Options {
    std::chrono::microseconds delay_min{20'000};
    std::chrono::microseconds delay_max{1'000'000};  // also until enough attempts have been seen
    double hedges_per_attempt = 0.1;
    double burst = 20;  // hedges beyond that
  };
  explicit HedgeDelay(const Options& options) : options_(options), budget_(options.burst) {}
  HedgeDelay() : HedgeDelay(Options()) {}

  // An attempt has begun: earns a part of a hedge.
  void Started();
  // An attempt took this long, or was given up after it.
  void Observe(std::chrono::microseconds elapsed);
  std::chrono::microseconds Delay() const;
  // Takes one hedge from the budget; false when there is none.
  bool Take();

 private:
  static constexpr size_t kBuckets = 160;  // four a doubling: of 1 us to more than a week

  Options options_;
  mutable std::mutex mutex_;
  std::array<double, kBuckets> seen_{};  // decaying counts; guarded by mutex_
  double seen_total_ = 0;                // guarded by mutex_
  double budget_;                        // guarded by mutex_
};

}  // namespace trellis::broker
