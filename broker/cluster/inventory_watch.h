#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "common/rpc/call.h"

namespace trellis::broker {

// What watches bring to the cluster's thread. Filled by gRPC's threads; a watch puts its next
// message only when asked for it, so that there is at most one of each. Thread-safe.
class WatchMailbox {
 public:
  struct Event {
    uint32_t server = 0;
    uint64_t watch = 0;                          // the number its starter gave it
    std::optional<wire::SharedBytes> inventory;  // else the watch has ended
    Status ended;
  };
  void Put(Event event);
  // Waits for events until `deadline`.
  std::deque<Event> Take(std::chrono::steady_clock::time_point deadline);
  // Wakes the taker, now and from now on.
  void Stop();
  bool stopping() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Event> events_;  // guarded by mutex_
  bool stopping_ = false;     // guarded by mutex_
};

// One watch of a server's inventory; cancelled when this goes. Not thread-safe.
class InventoryWatch {
 public:
  InventoryWatch(const std::shared_ptr<rpc::Channel>& channel,
                 std::shared_ptr<WatchMailbox> mailbox, uint32_t server, uint64_t watch);
  ~InventoryWatch() { call_->TryCancel(); }
  InventoryWatch(const InventoryWatch&) = delete;
  InventoryWatch& operator=(const InventoryWatch&) = delete;

  // Asks for the message after the one that was taken.
  void Next() { call_->ReadNext(); }

 private:
  std::shared_ptr<rpc::StreamCall> call_;
};

}  // namespace trellis::broker
