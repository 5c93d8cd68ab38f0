#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/inventory_messages.h"
#include "server/inventory/server_inventory.h"

namespace trellis::server {

// What one watcher is sent: the whole inventory, then what changes. To a watcher that understands
// deltas in updates of bounded size, to others the whole again. One thread at a time.
class WatchFeed {
 public:
  struct Options {
    std::vector<std::string> segment_list_encodings;
    bool deltas = false;  // the watcher has the feature "inventory_deltas"
    size_t chunk_segments = wire::kMessageLimits.inventory_chunk_segments;
  };
  WatchFeed(std::shared_ptr<ServerInventory> inventory, Options options);

  // The next message; nullopt when the watcher has been sent everything. Looks for changes when
  // `look` is set, now or, when messages of an earlier look are left, after the last of these.
  // Errors: ResourceExhausted when a message would be over the limit.
  Result<std::optional<std::string>> Next(bool look);
  // Next(false) has something to say.
  bool more() const { return !pending_.empty() || look_; }

 private:
  struct Position {
    uint64_t incarnation = 0;
    uint64_t epoch = 0;
  };
  void Collect();
  wire::Inventory Header() const;
  Result<std::string> WholeInventory() const;

  std::shared_ptr<ServerInventory> inventory_;
  Options options_;
  bool look_ = false;
  bool first_ = true;
  uint64_t epoch_ = 0;                    // of the inventory when last looked at
  std::map<std::string, Position> sent_;  // what the watcher will have after `pending_`
  std::deque<wire::TableUpdate> pending_;
};

}  // namespace trellis::server
