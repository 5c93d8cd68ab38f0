#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace trellis::broker {

// Admission: a fixed number of queries run at a time, a bounded number wait, more are refused. A
// running query holds its thread while servers work. A query that a free thread is about to take
// does not count as waiting. Thread-safe.
class QueryPool {
 public:
  QueryPool(size_t threads, size_t waiting_max);
  ~QueryPool();  // Drain, then ends the threads

  // False when the waiting room is full or the pool is draining: the caller answers 429 or 503.
  bool Submit(std::function<void()> query);
  // Accepts nothing more and returns once everything submitted has run.
  void Drain();
  bool draining() const;

 private:
  void Run();
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> waiting_;
  const size_t threads_max_;
  const size_t waiting_max_;
  size_t running_ = 0;
  bool draining_ = false;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace trellis::broker
