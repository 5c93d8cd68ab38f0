#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "broker/dispatch/replica_finder.h"
#include "common/block/block.h"
#include "common/rpc/call.h"
#include "common/wire/leaf_messages.h"

namespace trellis::broker {

// One list on one server, as its dispatch keeps it; what it counts for is the ledger's to say.
struct Attempt {
  size_t server = 0;  // position in the outcome
  ReplicaShare replica;
  bool by_names = false;
  bool is_hedge = false;
  bool may_hedge = true;  // whether to hedge it was not decided yet
  bool failed = false;
  std::optional<std::chrono::steady_clock::time_point> sent_at;
  std::shared_ptr<rpc::StreamCall> call;
  std::vector<Block> blocks;  // provisional
  size_t received_bytes = 0;
  wire::LeafStatistics statistics;
};

// What the server cannot serve of the attempt's list, as ids of the route's table. Names and
// ordinals that the list does not have are ignored.
Roaring MissingOf(const Attempt& attempt, const wire::LeafAccepted& accepted);

// Whether a stage that ended so would end so on another replica, too.
bool IsFaultOfQuery(const Status& done);

}  // namespace trellis::broker
