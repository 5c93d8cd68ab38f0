#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>

#include "broker/dispatch/attempt_ledger.h"
#include "broker/dispatch/list_encoder.h"
#include "common/rpc/call.h"

namespace trellis::broker {

// An attempt's request was encoded and is handed to gRPC now, or why not.
struct AttemptSent {
  using Clock = std::chrono::steady_clock;
  Status status;
  EncodedList list;
  size_t wire_bytes = 0;
  int64_t encode_us = 0;
  Clock::time_point encoded_at;
  Clock::time_point sent_at;
};

// What became of one attempt: AttemptSent first; then, in any order, its call, for whoever wants to
// cancel it, and the messages, with Status as the end of the call after them.
struct Arrival {
  AttemptLedger::Token attempt = 0;
  std::variant<AttemptSent, std::shared_ptr<rpc::StreamCall>, wire::SharedBytes, Status> what;
};

// Filled by gRPC's threads and those that encode, drained by the query's own. Thread-safe.
class Inbox {
 public:
  // False once the inbox is closed: nobody will look.
  bool Put(Arrival arrival) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      arrivals_.push_back(std::move(arrival));
    }
    wake_.notify_one();
    return true;
  }
  // Everything that has arrived; waits for something, for Stop, or for the time.
  std::deque<Arrival> Take(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, until, [&] { return stopped_ || !arrivals_.empty(); });
    return std::exchange(arrivals_, {});
  }
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
  }
  // Returns what nobody has taken: calls among it are running.
  std::deque<Arrival> Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    return std::exchange(arrivals_, {});
  }
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Arrival> arrivals_;  // guarded by mutex_
  bool stopped_ = false;          // guarded by mutex_
  bool closed_ = false;           // guarded by mutex_
};

}  // namespace trellis::broker
