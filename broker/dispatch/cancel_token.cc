#include "broker/dispatch/cancel_token.h"

namespace trellis::broker {

void CancelToken::Cancel() {
  std::function<void()> stop;
  {
    const std::lock_guard lock(mutex_);
    cancelled_.store(true);
    stop = std::move(stop_);
    stop_ = nullptr;
  }
  if (stop) stop();
}

void CancelToken::OnCancel(std::function<void()> stop) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_.load()) {
      stop_ = std::move(stop);
      return;
    }
  }
  if (stop) stop();
}

}  // namespace trellis::broker
