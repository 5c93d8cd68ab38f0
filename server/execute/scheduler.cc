#include "server/execute/scheduler.h"

#include <algorithm>

namespace trellis::server {

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
