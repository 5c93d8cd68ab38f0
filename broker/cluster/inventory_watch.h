#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/base/mailbox.h"
#include "common/rpc/call.h"

namespace trellis::broker {

// What a watch brings to the cluster's thread.
struct WatchEvent {
  uint32_t server = 0;
  uint64_t watch = 0;                          // the number its starter gave it
  std::optional<wire::SharedBytes> inventory;  // else the watch has ended
  Status ended;
};
// Filled by gRPC's threads; a watch puts its next message only when asked for it, so that there is
// at most one of each.
using WatchMailbox = Mailbox<WatchEvent>;

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
