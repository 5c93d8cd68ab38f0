#include "broker/front/query_pool.h"

#include <algorithm>

namespace trellis::broker {

QueryPool::QueryPool(size_t threads, size_t waiting_max)
    : threads_max_(std::max<size_t>(threads, 1)), waiting_max_(waiting_max) {
  for (size_t i = 0; i < threads_max_; ++i) threads_.emplace_back([this] { Run(); });
}

QueryPool::~QueryPool() {
  Drain();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool QueryPool::Submit(std::function<void()> query) {
  {
    const std::lock_guard lock(mutex_);
    // Subtracted, not added: waiting_max_ may be as large as it likes.
    const size_t free_threads = threads_max_ - running_;
    if (draining_ ||
        (waiting_.size() >= free_threads && waiting_.size() - free_threads >= waiting_max_)) {
      return false;
    }
    waiting_.push_back(std::move(query));
  }
  wake_.notify_one();
  return true;
}

void QueryPool::Drain() {
  std::unique_lock lock(mutex_);
  draining_ = true;
  idle_.wait(lock, [&] { return waiting_.empty() && running_ == 0; });
}

bool QueryPool::draining() const {
  const std::lock_guard lock(mutex_);
  return draining_;
}

void QueryPool::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> query = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    query();
    query = nullptr;
    lock.lock();
    --running_;
    if (waiting_.empty() && running_ == 0) idle_.notify_all();
  }
}

}  // namespace trellis::broker
