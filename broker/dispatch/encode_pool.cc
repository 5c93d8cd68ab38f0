#include "broker/dispatch/encode_pool.h"

#include <algorithm>

namespace trellis::broker {

EncodePool::EncodePool(size_t threads, size_t waiting_max) : waiting_max_(waiting_max) {
  if (threads == 0) threads = std::max<size_t>(std::thread::hardware_concurrency(), 1);
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

EncodePool::~EncodePool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool EncodePool::Submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void EncodePool::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

}  // namespace trellis::broker
