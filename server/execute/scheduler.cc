#include "server/execute/scheduler.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace trellis::server {
namespace {

class OneStep : public Work {
 public:
  explicit OneStep(std::function<void()> task) : task_(std::move(task)) {}
  bool RunStep() override {
    if (claimed_.exchange(true)) return false;
    // Taken out first: what it holds goes with the step, not with the queue's entry.
    const auto task = std::exchange(task_, nullptr);
    task();
    return true;
  }
  size_t parallelism_max() const override { return 1; }

 private:
  std::function<void()> task_;
  std::atomic<bool> claimed_{false};
};

}  // namespace

Scheduler::Scheduler(size_t threads) {
  for (size_t i = 0; i < std::max<size_t>(threads, 1); ++i)
    threads_.emplace_back([this] { Run(); });
}

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Scheduler::Submit(std::shared_ptr<Work> work) {
  auto entry = std::make_shared<Entry>();
  entry->work = std::move(work);
  {
    const std::lock_guard lock(mutex_);
    ring_.push_back(std::move(entry));
    ++queued_;
  }
  wake_.notify_one();
}

void Scheduler::Submit(std::function<void()> task) {
  Submit(std::make_shared<OneStep>(std::move(task)));
}

size_t Scheduler::queued() const {
  const std::lock_guard lock(mutex_);
  return queued_;
}

void Scheduler::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || !ring_.empty(); });
    if (stopping_) return;
    std::shared_ptr<Entry> entry = std::move(ring_.front());
    ring_.pop_front();
    ++entry->running;
    // Back to the tail at once, so that other threads may take further steps beside this one.
    const bool shared = entry->running < entry->work->parallelism_max();
    if (shared) {
      ring_.push_back(entry);
      wake_.notify_one();
    }
    lock.unlock();
    const bool ran = entry->work->RunStep();
    lock.lock();
    --entry->running;
    if (!ran) {
      if (!entry->exhausted) {
        entry->exhausted = true;
        --queued_;
        ring_.erase(std::remove(ring_.begin(), ring_.end(), entry), ring_.end());
      }
    } else if (!entry->exhausted && std::find(ring_.begin(), ring_.end(), entry) == ring_.end()) {
      ring_.push_back(std::move(entry));
    }
  }
}

}  // namespace trellis::server
