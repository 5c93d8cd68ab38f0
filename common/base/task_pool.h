#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace trellis {

// A fixed number of tasks run at a time, a bounded number wait, more are refused. A task that a
// free thread is about to take does not count as waiting. Thread-safe.
class TaskPool {
 public:
  // `threads` 0 = as many as the machine has.
  TaskPool(size_t threads, size_t waiting_max);
  ~TaskPool();  // Drain, then ends the threads

  // False when the waiting room is full or the pool is draining: the caller refuses, or does it
  // itself.
  bool Submit(std::function<void()> task);
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

}  // namespace trellis
