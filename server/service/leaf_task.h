#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/wire/leaf_messages.h"
#include "server/execute/leaf_execution.h"
#include "server/inventory/server_inventory.h"

namespace trellis::server {

// A request turned into an execution: list decoded, segments pinned, stage resolved.
struct PreparedStage {
  wire::LeafAccepted accepted;      // stale: nothing else is filled in, and nothing is to run
  wire::LeafStatistics statistics;  // what is known before running
  std::shared_ptr<LeafQuery> query;
  SegmentSelection segments;
};

// `request` carries its whole list in `segments`. Errors: of decoding (InvalidArgument), of the
// table (NotFound, FailedPrecondition), of resolving the stage.
Result<PreparedStage> PrepareStage(const wire::LeafRequest& request,
                                   const ServerInventory& inventory, size_t groups_max);

// Takes segments at fault out of what is to run and out of the statistics, and says so in a message
// of its own, which goes out before any block as the first one did.
wire::LeafAccepted LeaveOut(const std::vector<SegmentFault>& faults, SegmentSelection& selection,
                            wire::LeafStatistics& statistics);

// Cuts a result into blocks that encode to about `bytes_target` each. Always at least one block.
std::vector<Block> SplitBlock(Block block, size_t bytes_target);

}  // namespace trellis::server
