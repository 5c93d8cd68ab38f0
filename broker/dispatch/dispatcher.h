#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "broker/routing/router.h"
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
  Status status;  // of the last attempt; OK when every accepted attempt was
  wire::LeafStatistics statistics;  // of accepted attempts
  std::vector<wire::BrokenSegment> broken;
};

struct DispatchOutcome {
  std::vector<ServerAnswer> servers;
  // Segments of the route that no accepted attempt covers. Empty = the answer is complete.
  Roaring uncovered;
  int32_t retries = 0;
  int32_t hedges = 0;
  // From the plan being ready to the last request being handed to gRPC.
  int64_t handed_over_us = 0;
  bool timed_out = false;
  bool cancelled = false;
};

// A query that is being dispatched can be stopped from another thread.
class CancelToken {
 public:
  void Cancel();
  bool cancelled() const { return cancelled_.load(); }
  // `stop` runs once, on Cancel, or at once if that has happened already. Null removes it.
  void OnCancel(std::function<void()> stop);

 private:
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::function<void()> stop_;
};

struct DispatchRequest {
  std::string query_id;
  const plan::LeafStage* stage = nullptr;
  const Route* route = nullptr;
  std::chrono::steady_clock::time_point deadline;
  std::optional<std::string> encoding;        // forces one for every server
  bool retry = true;                          // on another replica
  bool hedge = true;                          // ask another replica when a server is slow
  size_t list_chunk_bytes = wire::kMessageLimits.list_chunk_bytes;
  size_t result_bytes_max = size_t{1} << 30;  // of all servers' answers together, encoded
  std::function<std::shared_ptr<rpc::Channel>(const std::string& target)> channel;
  // The newest catalog, for retries; null: the route's own is asked.
  std::function<std::shared_ptr<const CatalogSnapshot>()> newest;
};

// Sends the stage to every server of the route and waits for their answers; `take` gets each block
// of each server that answered completely. Returns when every server has answered or failed, at the
// deadline, or on cancel; calls still running are then cancelled. Blocks the calling thread, which
// does the decoding. Errors: of `take` (the rest is cancelled), or when the stage cannot be sent at
// all.
Result<DispatchOutcome> Dispatch(const DispatchRequest& request, CancelToken& cancel,
                                 const std::function<Status(Block)>& take);

}  // namespace trellis::broker
