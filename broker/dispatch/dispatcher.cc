#include "broker/dispatch/dispatcher.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "common/rpc/call.h"
#include "common/wire/message_limits.h"
#include "common/wire/plan_codec.h"
#include "common/wire/segment_list_codec.h"

namespace trellis::broker {
namespace {

using Clock = std::chrono::steady_clock;

int64_t MicrosSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

struct Arrival {
  size_t server;
  std::optional<wire::SharedBytes> message;
  Status done;
};

// Filled by gRPC's threads, drained by the query's own.
struct Inbox {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Arrival> arrivals;
  bool stopped = false;

  void Put(Arrival arrival) {
    {
      const std::lock_guard lock(mutex);
      arrivals.push_back(std::move(arrival));
    }
    wake.notify_one();
  }
};

class AnswerHandler : public rpc::StreamHandler {
 public:
  AnswerHandler(std::shared_ptr<Inbox> inbox, size_t server)
      : inbox_(std::move(inbox)), server_(server) {}
  void OnMessage(wire::SharedBytes message) override {
    inbox_->Put({server_, std::move(message), {}});
  }
  void OnDone(Status status) override { inbox_->Put({server_, std::nullopt, std::move(status)}); }

 private:
  std::shared_ptr<Inbox> inbox_;
  size_t server_;
};

// One dispatch, from the first request to the last answer.
class Dispatching {
 public:
  Dispatching(const DispatchRequest& request, const std::function<Status(Block)>& take)
      : request_(request), take_(take), inbox_(std::make_shared<Inbox>()) {}

  Result<DispatchOutcome> Run(CancelToken& cancel) {
    const Clock::time_point ready = Clock::now();
    TRELLIS_RETURN_IF_ERROR(EncodeStage());
    cancel.OnCancel([inbox = inbox_] {
      const std::lock_guard lock(inbox->mutex);
      inbox->stopped = true;
      inbox->wake.notify_one();
    });
    for (const ServerShare& share : request_.route->assignment->shares) Send(share);
    outcome_.handed_over_us = MicrosSince(ready);
    const Status status = Collect();
    cancel.OnCancel(nullptr);
    for (const auto& call : calls_) {
      if (call) call->TryCancel();
    }
    TRELLIS_RETURN_IF_ERROR(status);
    return std::move(outcome_);
  }

 private:
  Status EncodeStage() {
    std::string bytes = wire::EncodeLeafStage(*request_.stage);
    if (bytes.size() > wire::kMessageLimits.stage_bytes_max) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("the query's stage is {} bytes, at most {} can be sent",
                                bytes.size(), wire::kMessageLimits.stage_bytes_max),
                    PinotCode::kQueryValidation);
    }
    stage_ = wire::SharedBytes::Own(std::move(bytes));
    return Status::Ok();
  }

  const wire::SegmentListCodec& CodecFor(const ServerEntry& server) const {
    std::vector<std::string> names = server.segment_list_encodings;
    if (request_.encoding) names = {*request_.encoding};
    for (const std::string& name : names) {
      if (const auto encoding = wire::ParseSegmentListEncoding(name))
        return wire::SegmentListCodecOf(*encoding);
    }
    return wire::SegmentListCodecOf(wire::SegmentListEncoding::kLegacyJson);
  }

  void Send(const ServerShare& share) {
    const ServerEntry& server = request_.route->snapshot->servers[share.server];
    const size_t index = outcome_.servers.size();
    ServerAnswer& answer = outcome_.servers.emplace_back();
    calls_.emplace_back();
    blocks_.emplace_back();
    ended_.push_back(false);
    answer.target = server.target;
    answer.segments = static_cast<int64_t>(share.segments.size());
    const wire::SegmentListCodec& codec = CodecFor(server);
    answer.encoding = codec.name();
    const Clock::time_point start = Clock::now();
    wire::SegmentListGroup group{request_.route->table->type, share.segments};
    std::string list;
    Status status = codec.Encode({&group, 1}, list);
    answer.encode_us = MicrosSince(start);
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(request_.deadline - Clock::now());
    wire::LeafRequest message;
    message.query_id = request_.query_id;
    message.timeout_ms = std::max<int64_t>(left.count(), 1);
    message.stage = stage_;
    message.segments = wire::SharedBytes::Own(std::move(list));
    Result<wire::Slices> slices =
        status.ok() ? wire::EncodeLeafRequest(message) : Result<wire::Slices>(status);
    const auto channel = request_.channel(server.target);
    if (!slices.ok() || !channel) {
      End(index,
          slices.ok() ? Status::Internal("no channel to {}", server.target) : slices.status());
      return;
    }
    answer.wire_bytes = static_cast<int64_t>(wire::TotalBytes(*slices));
    rpc::CallOptions options;
    options.timeout = std::max(left, std::chrono::milliseconds(1));
    calls_[index] = rpc::StreamCall::Start(channel, wire::kLeafExecuteMethod, std::move(*slices),
                                           std::make_shared<AnswerHandler>(inbox_, index), options);
    ++running_;
  }

  void End(size_t server, Status status) {
    if (ended_[server]) return;
    ended_[server] = true;
    outcome_.servers[server].status = std::move(status);
  }

  Status Collect() {
    while (running_ > 0) {
      std::deque<Arrival> arrivals;
      {
        std::unique_lock lock(inbox_->mutex);
        const bool woke = inbox_->wake.wait_until(
            lock, request_.deadline, [&] { return inbox_->stopped || !inbox_->arrivals.empty(); });
        if (inbox_->stopped || !woke) {
          outcome_.cancelled = inbox_->stopped;
          outcome_.timed_out = !inbox_->stopped;
          break;
        }
        arrivals.swap(inbox_->arrivals);
      }
      for (Arrival& arrival : arrivals) TRELLIS_RETURN_IF_ERROR(Handle(arrival));
    }
    for (size_t i = 0; i < ended_.size(); ++i) {
      if (outcome_.cancelled)
        End(i, Status(StatusCode::kCancelled, "query cancelled", PinotCode::kQueryCancelled));
      End(i, Status(StatusCode::kDeadlineExceeded, "no answer within the query's time",
                    PinotCode::kServerNotResponding));
    }
    return Status::Ok();
  }

  Status Handle(Arrival& arrival) {
    ServerAnswer& answer = outcome_.servers[arrival.server];
    if (!arrival.message) {
      --running_;
      // A stream that ends before its last message did not answer.
      End(arrival.server, arrival.done.ok()
                              ? Status(StatusCode::kUnavailable, "the answer was cut short",
                                       PinotCode::kServerNotResponding)
                              : arrival.done.WithPinotCode(PinotCode::kServerNotResponding));
      return Status::Ok();
    }
    if (ended_[arrival.server]) return Status::Ok();
    received_bytes_ += arrival.message->size_bytes();
    if (received_bytes_ > request_.result_bytes_max) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("the servers' answers are over {} bytes (result-bytes-max)",
                                request_.result_bytes_max),
                    PinotCode::kServerResourceLimit);
    }
    auto message = wire::DecodeLeafMessage(*arrival.message);
    if (!message.ok()) {
      End(arrival.server, message.status().WithPinotCode(PinotCode::kMergeResponse));
      return Status::Ok();
    }
    answer.responded = true;
    if (auto* accepted = std::get_if<wire::LeafAccepted>(&*message)) {
      answer.missing = std::move(accepted->missing);
      answer.broken = std::move(accepted->broken);
    } else if (auto* block = std::get_if<Block>(&*message)) {
      blocks_[arrival.server].push_back(std::move(*block));
    } else {
      auto& done = std::get<wire::LeafDone>(*message);
      answer.statistics = done.statistics;
      answer.decode_us = done.statistics.decode_us;
      ended_[arrival.server] = true;
      answer.status = done.status.WithPinotCode(PinotCode::kQueryExecution);
      if (!answer.status.ok()) return Status::Ok();
      // Only now is the attempt complete: its blocks may become part of the answer.
      for (Block& block : blocks_[arrival.server]) TRELLIS_RETURN_IF_ERROR(take_(std::move(block)));
      blocks_[arrival.server].clear();
    }
    return Status::Ok();
  }

  const DispatchRequest& request_;
  const std::function<Status(Block)>& take_;
  std::shared_ptr<Inbox> inbox_;
  wire::SharedBytes stage_;
  DispatchOutcome outcome_;
  std::vector<std::shared_ptr<rpc::StreamCall>> calls_;
  std::vector<std::vector<Block>> blocks_;  // provisional, by server
  std::vector<bool> ended_;
  size_t running_ = 0;
  size_t received_bytes_ = 0;
};

}  // namespace

void CancelToken::Cancel() {
  std::function<void()> stop;
  {
    const std::lock_guard lock(mutex_);
    cancelled_.store(true);
    stop = std::move(stop_);
    stop_ = nullptr;
  }
  if (stop) stop();
}

void CancelToken::OnCancel(std::function<void()> stop) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_.load()) {
      stop_ = std::move(stop);
      return;
    }
  }
  if (stop) stop();
}

Result<DispatchOutcome> Dispatch(const DispatchRequest& request, CancelToken& cancel,
                                 const std::function<Status(Block)>& take) {
  return Dispatching(request, take).Run(cancel);
}

}  // namespace trellis::broker
