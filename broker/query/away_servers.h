#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "broker/catalog/catalog.h"

namespace trellis::broker {

// Remembers since when servers have been away, as queries find them: one that has just gone may be
// restarting, and is worth waiting for; one that stays away is not. Thread-safe.
class AwayServers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kRecent{5};

  // Whether any server of the snapshot that has reported once is away, and for less than kRecent.
  bool AnyRecent(const CatalogSnapshot& snapshot, Clock::time_point now);

 private:
  std::mutex mutex_;
  std::map<std::string, Clock::time_point> since_;  // by target; guarded by mutex_
};

}  // namespace trellis::broker
