#pragma once

#include <atomic>
#include <functional>
#include <mutex>

namespace trellis::broker {

// A query that is being dispatched can be stopped from another thread.
class CancelToken {
 public:
  void Cancel();
  bool cancelled() const { return cancelled_.load(); }
  // `stop` runs once, on Cancel, or at once if that has happened already. Null removes it.
  void OnCancel(std::function<void()> stop);

 private:
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::function<void()> stop_;
};

}  // namespace trellis::broker
