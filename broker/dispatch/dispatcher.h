#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/dispatch/cancel_token.h"
#include "broker/dispatch/hedge_delay.h"
#include "broker/routing/router.h"
#include "common/base/task_pool.h"
#include "common/block/block.h"
#include "common/plan/stage.h"
#include "common/rpc/channel.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/message_limits.h"

namespace trellis::broker {

// What sending the stage to one server cost, and how it went, over all attempts there.
struct ServerAnswer {
  std::string target;
  std::string encoding;  // of the last attempt
  int64_t segments = 0;  // asked for; each once, however often it was tried
  int64_t wire_bytes = 0;
  int64_t encode_us = 0;
  int64_t decode_us = 0;   // as the server reports it
  int64_t names_sent = 0;  // segment names that travelled
  bool cache_hit = false;  // no list had to be encoded for this query
  int32_t attempts = 0;
  int64_t encoded_at_us = 0;  // since the plan was ready: its first list was encoded,
  int64_t sent_at_us = 0;     // and its first request was handed to gRPC
  bool responded = false;
  // Why segments it was asked for are uncovered; OK when none is because of it.
  Status status;
  wire::LeafStatistics statistics;  // of accepted attempts
  std::vector<wire::BrokenSegment> broken;
};

struct DispatchOutcome {
  std::vector<ServerAnswer> servers;
  // Segments of the route that no accepted attempt covers. Empty = the answer is complete.
  Roaring uncovered;
  Roaring missing;  // of these, those that a server was asked for and does not hold, or cannot read
  // Segments of the route that the newest catalog no longer has: the answer is that of a table
  // without them, and complete.
  Roaring dropped;
  int32_t retries = 0;
  int32_t hedges = 0;
  int32_t hedges_won = 0;   // hedges with an attempt that was accepted
  int32_t stale_lists = 0;  // sent again by names
  // From the plan being ready to the last request being handed to gRPC.
  int64_t handed_over_us = 0;
  bool timed_out = false;
  bool cancelled = false;
};

struct DispatchRequest {
  std::string query_id;
  const plan::LeafStage* stage = nullptr;
  const Route* route = nullptr;
  std::chrono::steady_clock::time_point deadline;
  std::optional<std::string> encoding;  // forces one for every server; unknown ones do not
  bool retry = true;                    // on another replica
  bool hedge = true;  // ask another replica when a server is slow; needs hedge_delay
  size_t list_chunk_bytes = wire::kMessageLimits.list_chunk_bytes;
  size_t result_bytes_max = size_t{1} << 30;  // of all servers' answers together, encoded
  std::function<std::shared_ptr<rpc::Channel>(const std::string& target)> channel;
  // Called once, on Dispatch's thread, when every server's first request has been handed to gRPC;
  // may be null.
  std::function<void()> handed_over;
  // The newest catalog, for retries; null: the route's own is asked.
  std::function<std::shared_ptr<const CatalogSnapshot>()> newest;
  HedgeDelay* hedge_delay = nullptr;  // the broker's; null: nothing is hedged
  TaskPool* encode_pool = nullptr;    // null: every list is encoded on the calling thread
};

// Sends the stage to every server of the route and waits for their answers; `take` gets each block
// of each attempt that is part of the answer (attempt_ledger.h). What a server fails to answer, or
// does not hold, is asked of another replica; so is, once, what a server takes too long for.
// Returns when every segment is covered or cannot be, at the deadline, or on cancel; calls still
// running are then cancelled. Blocks the calling thread, which does the decoding. Errors: of `take`
// (the rest is cancelled), or when the stage cannot be sent at all.
Result<DispatchOutcome> Dispatch(const DispatchRequest& request, CancelToken& cancel,
                                 const std::function<Status(Block)>& take);

}  // namespace trellis::broker
