#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/wire/leaf_messages.h"
#include "server/execute/leaf_execution.h"
#include "server/service/leaf_server_rep.h"

namespace trellis::server {

// A request turned into an execution: list decoded, segments pinned, stage resolved.
struct PreparedStage {
  wire::LeafAccepted accepted;
  wire::LeafStatistics statistics;  // what is known before running
  std::shared_ptr<LeafQuery> query;
  std::vector<std::shared_ptr<const segment::Segment>> segments;
};

// Errors: of decoding (InvalidArgument), of the table (NotFound, FailedPrecondition), of resolving
// the stage.
Result<PreparedStage> PrepareStage(const wire::LeafRequest& request, const StoreSnapshot& store,
                                   size_t groups_max);

// Cuts a result into blocks that encode to about `bytes_target` each. Always at least one block.
std::vector<Block> SplitBlock(Block block, size_t bytes_target);

}  // namespace trellis::server
