#include "common/base/task_pool.h"

#include <algorithm>

namespace trellis {

TaskPool::TaskPool(size_t threads, size_t waiting_max)
    : threads_max_(
          std::max<size_t>(threads != 0 ? threads : std::thread::hardware_concurrency(), 1)),
      waiting_max_(waiting_max) {
  for (size_t i = 0; i < threads_max_; ++i) threads_.emplace_back([this] { Run(); });
}

TaskPool::~TaskPool() {
  Drain();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool TaskPool::Submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    // Subtracted, not added: waiting_max_ may be as large as it likes.
    const size_t free_threads = threads_max_ - running_;
    if (draining_ ||
        (waiting_.size() >= free_threads && waiting_.size() - free_threads >= waiting_max_)) {
      return false;
    }
    waiting_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void TaskPool::Drain() {
  std::unique_lock lock(mutex_);
  draining_ = true;
  idle_.wait(lock, [&] { return waiting_.empty() && running_ == 0; });
}

bool TaskPool::draining() const {
  const std::lock_guard lock(mutex_);
  return draining_;
}

void TaskPool::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --running_;
    if (waiting_.empty() && running_ == 0) idle_.notify_all();
  }
}

}  // namespace trellis
