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

namespace trellis::broker {

// What sending the stage to one server cost, and how it went.
struct ServerAnswer {
  std::string target;
  std::string encoding;
  int64_t segments = 0;
  int64_t wire_bytes = 0;
  int64_t encode_us = 0;
  int64_t decode_us = 0;  // as the server reports it
  bool responded = false;
  Status status;  // not OK: none of its blocks was handed on
  wire::LeafStatistics statistics;
  std::vector<std::string> missing;
  std::vector<wire::BrokenSegment> broken;
};

struct DispatchOutcome {
  std::vector<ServerAnswer> servers;
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
  size_t result_bytes_max = size_t{1} << 30;  // of all servers' answers together, encoded
  std::function<std::shared_ptr<rpc::Channel>(const std::string& target)> channel;
};

// Sends the stage to every server of the route and waits for their answers; `take` gets each block
// of each server that answered completely. Returns when every server has answered or failed, at the
// deadline, or on cancel; calls still running are then cancelled. Blocks the calling thread, which
// does the decoding. Errors: of `take` (the rest is cancelled), or when the stage cannot be sent at
// all.
Result<DispatchOutcome> Dispatch(const DispatchRequest& request, CancelToken& cancel,
                                 const std::function<Status(Block)>& take);

}  // namespace trellis::broker
