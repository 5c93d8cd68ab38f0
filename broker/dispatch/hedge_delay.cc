#include "broker/dispatch/hedge_delay.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trellis::broker {
namespace {

constexpr double kBucketsPerDoubling = 4;
constexpr float kPart = 0.95F;
constexpr float kSeenMin = 10;     // attempts before a server's estimate means something
constexpr float kSeenMax = 1'000;  // then every count is halved: old attempts fade
constexpr size_t kServersMax = 10'000;

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

void HedgeDelay::Observe(const std::string& server, std::chrono::microseconds elapsed) {
  const size_t bucket = BucketOf(static_cast<double>(elapsed.count()), Times::kBuckets);
  const std::lock_guard lock(mutex_);
  auto found = servers_.find(server);
  if (found == servers_.end()) {
    if (servers_.size() >= kServersMax) servers_.clear();  // addresses that come and go
    found = servers_.try_emplace(server).first;
  }
  Times& times = found->second;
  times.seen[bucket] += 1;
  times.total += 1;
  if (times.total >= kSeenMax) {
    for (float& count : times.seen) count /= 2;
    times.total /= 2;
  }
  if (++observed_ >= renew_at_) Renew();
}

std::chrono::microseconds HedgeDelay::Part(const Times& times) const {
  float below = 0;
  size_t bucket = 0;
  while (bucket + 1 < Times::kBuckets && (below += times.seen[bucket]) < kPart * times.total)
    ++bucket;
  const double upper_us = std::exp2(static_cast<double>(bucket) / kBucketsPerDoubling);
  return std::chrono::microseconds(static_cast<int64_t>(std::ceil(upper_us)));
}

void HedgeDelay::Renew() {
  std::vector<std::chrono::microseconds> parts;
  for (const auto& [name, times] : servers_) {
    if (times.total >= kSeenMin) parts.push_back(Part(times));
  }
  // Once a few attempts a server: looking at all of them costs some 100 ns each.
  renew_at_ = observed_ + 1 + servers_.size() / 4;
  if (parts.empty()) return;
  const auto middle = parts.begin() + static_cast<ptrdiff_t>((parts.size() - 1) / 2);
  std::nth_element(parts.begin(), middle, parts.end());
  middle_ = *middle;
}

std::chrono::microseconds HedgeDelay::Delay() const {
  const std::chrono::microseconds longest = std::max(options_.delay_min, options_.delay_max);
  const std::lock_guard lock(mutex_);
  return std::clamp(middle_.value_or(options_.delay_unknown), options_.delay_min, longest);
}

bool HedgeDelay::Take() {
  const std::lock_guard lock(mutex_);
  if (budget_ < 1) return false;
  budget_ -= 1;
  return true;
}

}  // namespace trellis::broker
