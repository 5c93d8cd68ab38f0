#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace trellis {

// Filled by any thread, emptied by one that waits for it. Thread-safe.
template <class T>
class Mailbox {
 public:
  // False once the mailbox is closed: nobody will look.
  bool Put(T item) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      items_.push_back(std::move(item));
    }
    wake_.notify_one();
    return true;
  }
  // Everything that has come; waits for something, for Stop, or for the time.
  std::deque<T> Take(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, until, [&] { return stopped_ || !items_.empty(); });
    return std::exchange(items_, {});
  }
  // Wakes the taker, now and from now on.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
  }
  // Returns what nobody has taken.
  std::deque<T> Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    return std::exchange(items_, {});
  }
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<T> items_;   // guarded by mutex_
  bool stopped_ = false;  // guarded by mutex_
  bool closed_ = false;   // guarded by mutex_
};

}  // namespace trellis
