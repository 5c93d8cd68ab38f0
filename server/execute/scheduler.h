#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace trellis::server {

// A query's work, cut into steps (a segment each) that several threads may run at once.
class Work {
 public:
  virtual ~Work() = default;
  // Claims and runs one step; false when none was left to claim. Thread-safe. The step that
  // finishes last also finishes the work.
  virtual bool RunStep() = 0;
  // How many threads may run steps of this work at a time.
  virtual size_t parallelism_max() const = 0;
};

// A fixed pool that takes steps round-robin over queries, so that a query of 10,000 segments does
// not starve one of ten. Thread-safe.
class Scheduler {
 public:
  explicit Scheduler(size_t threads);
  ~Scheduler();  // waits for the steps that run; drops the rest
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void Submit(std::shared_ptr<Work> work);
  size_t thread_count() const { return threads_.size(); }
  // Runs `task` once, in turn with the works.
  void Submit(std::function<void()> task);
  // Works that still have steps to hand out.
  size_t queued() const;

 private:
  struct Entry {
    std::shared_ptr<Work> work;
    size_t running = 0;
    bool exhausted = false;
  };
  void Run();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Entry>> ring_;  // works with steps left and room for another thread
  size_t queued_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace trellis::server
