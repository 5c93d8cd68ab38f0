#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace trellis::broker {

// The threads on which long segment lists are encoded, one set for all queries of a broker, so that
// the servers of one query get their lists in parallel. Thread-safe.
class EncodePool {
 public:
  // `threads` 0 = as many as the machine has.
  explicit EncodePool(size_t threads = 0, size_t waiting_max = 256);
  ~EncodePool();  // runs what waits first

  // False when `waiting_max` tasks wait: the caller does it itself.
  bool Submit(std::function<void()> task);

 private:
  void Run();
  const size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;  // guarded by mutex_
  bool stopping_ = false;                      // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace trellis::broker
