#pragma once

#include <algorithm>
#include <chrono>

namespace trellis::broker {

// When the next snapshot is due: at once while snapshots are cheap, and seldom enough that building
// them does not take more than a tenth of the time (half of it where a server has come or gone).
// Not thread-safe.
class PublishPace {
 public:
  using Clock = std::chrono::steady_clock;

  void Changed(bool server_came_or_went) {
    due_ = std::min(due_, last_end_ + last_cost_ * (server_came_or_went ? 1 : 9));
  }
  // Clock::time_point::max() while nothing has changed.
  Clock::time_point due() const { return due_; }
  void Published(Clock::time_point begin, Clock::time_point end) {
    last_end_ = end;
    last_cost_ = end - begin;
    due_ = Clock::time_point::max();
  }

 private:
  Clock::time_point due_ = Clock::time_point::max();
  Clock::time_point last_end_{};
  Clock::duration last_cost_{0};
};

}  // namespace trellis::broker
