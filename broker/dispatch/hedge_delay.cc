#include "broker/dispatch/hedge_delay.h"

#include <algorithm>
#include <cmath>

namespace trellis::broker {
namespace {

constexpr double kBucketsPerDoubling = 4;
constexpr double kPart = 0.95;
constexpr double kSeenMin = 20;     // attempts before the estimate means something
constexpr double kSeenMax = 2'000;  // then every count is halved: old attempts fade

size_t BucketOf(double us, size_t buckets) {
  if (us <= 1) return 0;
  const double bucket = std::ceil(std::log2(us) * kBucketsPerDoubling);
  return std::min(static_cast<size_t>(bucket), buckets - 1);
}

}  // namespace

void HedgeDelay::Started() {
  const std::lock_guard lock(mutex_);
  budget_ = std::min(budget_ + options_.hedges_per_attempt, options_.burst);
}

void HedgeDelay::Observe(std::chrono::microseconds elapsed) {
  const size_t bucket = BucketOf(static_cast<double>(elapsed.count()), kBuckets);
  const std::lock_guard lock(mutex_);
  seen_[bucket] += 1;
  seen_total_ += 1;
  if (seen_total_ < kSeenMax) return;
  for (double& count : seen_) count /= 2;
  seen_total_ /= 2;
}

std::chrono::microseconds HedgeDelay::Delay() const {
  const std::chrono::microseconds longest = std::max(options_.delay_min, options_.delay_max);
  const std::lock_guard lock(mutex_);
  if (seen_total_ < kSeenMin) return longest;
  double below = 0;
  size_t bucket = 0;
  while (bucket + 1 < kBuckets && (below += seen_[bucket]) < kPart * seen_total_) ++bucket;
  const double upper_us = std::exp2(static_cast<double>(bucket) / kBucketsPerDoubling);
  const std::chrono::microseconds delay(static_cast<int64_t>(std::ceil(upper_us)));
  return std::clamp(delay, options_.delay_min, longest);
}

bool HedgeDelay::Take() {
  const std::lock_guard lock(mutex_);
  if (budget_ < 1) return false;
  budget_ -= 1;
  return true;
}

}  // namespace trellis::broker
