// The gRPC side of one leaf stage. Callbacks only move messages: decoding and running happen on the
// scheduler's threads.
#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "common/rpc/byte_buffer.h"
#include "common/rpc/status_conversion.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"
#include "common/wire/list_assembler.h"
#include "common/wire/message_limits.h"
#include "server/service/leaf_server_rep.h"
#include "server/service/leaf_task.h"
#include "trellis/v1/leaf.grpc.pb.h"

namespace trellis::server {
namespace {

// About what one message of rows should weigh on the wire.
constexpr size_t kBlockBytesTarget = size_t{1} << 20;

class LeafStream : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                   public Cancellable,
                   public std::enable_shared_from_this<LeafStream> {
 public:
  explicit LeafStream(std::shared_ptr<LeafServer::Rep> rep) : rep_(std::move(rep)) {}

  void Begin() {
    self_ = shared_from_this();
    if (rep_->running.fetch_add(1) >= rep_->options.running_max) {
      End(Status::ResourceExhausted("server runs {} stages already (running_max)",
                                    rep_->options.running_max));
    } else if (!rep_->accepting.load()) {
      End(Status(StatusCode::kUnavailable, "server is shutting down",
                 PinotCode::kServerShuttingDown));
    } else {
      // Weak, as for delay_.
      request_time_.Set(std::chrono::system_clock::now() + rep_->options.request_ms_max,
                        [stream = weak_from_this()](bool over) {
                          const auto self = over ? stream.lock() : nullptr;
                          if (self) self->EndRequestTime();
                        });
      Read();
    }
  }

  void OnReadDone(bool ok) override {
    {
      const std::lock_guard lock(mutex_);
      reading_ = false;
      if (ending_) return;
    }
    if (ok) {
      // The scheduler's thread decodes: a list of many names takes milliseconds.
      rep_->scheduler->Submit([self = shared_from_this()] { self->Receive(); });
    } else {
      End(list_ ? list_->Unfinished()
                : Status::InvalidArgument("the stream ended before a request"));
    }
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok) outgoing_.clear();  // the client left; Finish is owed all the same
    WriteNext();
  }

  void OnCancel() override { Cancel(); }

  void OnDone() override {
    Forget();
    {
      const std::lock_guard lock(mutex_);
      execution_.reset();  // it holds this stream
    }
    rep_->list_bytes_held.fetch_sub(list_bytes_held_);
    rep_->running.fetch_sub(1);
    self_.reset();
  }

  void Cancel() override {
    std::shared_ptr<LeafExecution> execution;
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      execution = execution_;
      if (delayed_) delay_.Cancel();  // which calls Run at once
    }
    if (execution) execution->Cancel();
  }

 private:
  // Asks for the next message of the request, unless the time for it is over.
  void Read() {
    const std::lock_guard lock(mutex_);
    if (request_late_) return EndLate();
    reading_ = true;
    StartRead(&incoming_);
  }

  // A request that is being taken in ends itself, when it finds that it needs another message: only
  // while gRPC reads does nobody else use what it is put together in.
  void EndRequestTime() {
    const std::lock_guard lock(mutex_);
    request_late_ = true;
    if (reading_) EndLate();
  }

  // REQUIRES: mutex_ held, no message being taken in.
  void EndLate() {
    CountMetric("trellis_server_requests_late_total",
                "Requests of leaf stages that were not complete in time");
    const auto limit_ms = rep_->options.request_ms_max.count();
    EndLocked(list_ ? Status::DeadlineExceeded("the request was not complete within {} ms: {}",
                                               limit_ms, list_->Unfinished().message())
                    : Status::DeadlineExceeded("no request came within {} ms", limit_ms));
  }

  // The message that was read: the request, or the next piece of its list.
  void Receive() {
    auto bytes = rpc::FromByteBuffer(incoming_);
    if (!bytes.ok()) return End(bytes.status());
    incoming_.Clear();
    if (!list_) {
      started_ = LeafExecution::Clock::now();
      auto request = wire::DecodeLeafRequest(*bytes);
      if (!request.ok()) return End(request.status());
      request_ = std::move(*request);
      list_.emplace(request_);
    } else {
      const auto chunk = wire::DecodeListChunk(*bytes);
      const Status added = chunk.ok() ? list_->Add(*chunk) : chunk.status();
      if (!added.ok()) return End(added);
    }
    const Status held = HoldList();
    if (!held.ok()) return End(held);
    if (!list_->complete()) return Read();
    request_.segments = list_->Take();
    if (rep_->options.delay_answers_ms.count() == 0) return Run();
    const std::lock_guard lock(mutex_);
    delayed_ = true;
    // Weak, since the alarm keeps what it calls until it dies, which it does with this.
    delay_.Set(std::chrono::system_clock::now() +
                   (cancelled_ ? std::chrono::milliseconds(0) : rep_->options.delay_answers_ms),
               [stream = weak_from_this()](bool) {
                 const auto self = stream.lock();
                 if (self) self->rep_->scheduler->Submit([self] { self->Run(); });
               });
  }

  // Accounts for what the pieces of the list take.
  Status HoldList() {
    const size_t more = list_->memory_bytes() - list_bytes_held_;
    list_bytes_held_ += more;
    const size_t held = rep_->list_bytes_held.fetch_add(more) + more;
    if (more == 0 || held <= rep_->options.list_bytes_max) return Status::Ok();
    CountMetric("trellis_server_lists_refused_total",
                "Long segment lists refused because too many bytes of them were under way");
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("{} bytes of segment lists are under way, at most {} are taken", held,
                              rep_->options.list_bytes_max),
                  PinotCode::kServerResourceLimit);
  }

  void Run() {
    query_id_ = request_.query_id;
    {
      const std::lock_guard lock(rep_->mutex);
      rep_->by_query.emplace(query_id_, weak_from_this());
    }
    auto prepared = PrepareStage(request_, *rep_->inventory, rep_->options.groups_max);
    const int64_t timeout_ms =
        std::clamp<int64_t>(request_.timeout_ms, 1, rep_->options.timeout_ms_max);
    request_ = {};  // a long list's bytes
    if (!prepared.ok()) return EndWith(prepared.status(), {});
    std::string accepted = wire::EncodeLeafAccepted(prepared->accepted);
    // The names of a long list that are all missing make a message too long to be sent.
    const Status fits = wire::CheckMessageSize(accepted.size(), "the list of missing segments");
    if (!fits.ok()) return EndWith(fits, prepared->statistics);
    Send(std::move(accepted));
    if (prepared->accepted.stale) {
      return EndWith(Status(StatusCode::kFailedPrecondition,
                            "the segment list speaks of an inventory that this server does not "
                            "have"),
                     prepared->statistics);
    }
    Execute({prepared->query, prepared->statistics, timeout_ms, 1}, std::move(prepared->segments));
  }

  // What is run, and run again without the segments that turn out to be at fault.
  struct Trial {
    std::shared_ptr<LeafQuery> query;
    wire::LeafStatistics statistics;
    int64_t timeout_ms;
    int number;
  };

  void Execute(Trial trial, SegmentSelection segments) {
    auto query = trial.query;
    const auto deadline = started_ + std::chrono::milliseconds(trial.timeout_ms);
    auto execution = std::make_shared<LeafExecution>(
        std::move(query), std::move(segments), deadline, rep_->scheduler->thread_count(),
        [self = shared_from_this(), trial = std::move(trial)](LeafOutcome outcome) mutable {
          self->Conclude(std::move(outcome), std::move(trial));
        });
    bool cancelled;
    {
      const std::lock_guard lock(mutex_);
      execution_ = execution;
      cancelled = cancelled_;
    }
    if (cancelled) execution->Cancel();
    rep_->scheduler->Submit(std::move(execution));
  }

  void Conclude(LeafOutcome outcome, Trial trial) {
    constexpr int kTrialsMax = 4;
    if (outcome.faults.empty() || trial.number == kTrialsMax)
      return Finish(std::move(outcome), trial.statistics);
    ++trial.number;
    CountMetric("trellis_server_segment_faults_total",
                "Segments left out of a stage because their bytes are damaged or gone",
                static_cast<double>(outcome.faults.size()));
    for (const SegmentFault& fault : outcome.faults)
      spdlog::error("query {}: left out: {}", query_id_, fault.status.message());
    Send(wire::EncodeLeafAccepted(LeaveOut(outcome.faults, outcome.segments, trial.statistics)));
    Execute(std::move(trial), std::move(outcome.segments));
  }

  void Finish(LeafOutcome outcome, wire::LeafStatistics statistics) {
    const ScanStatistics& scan = outcome.statistics;
    statistics.segments_processed = scan.segments_processed;
    statistics.segments_matched = scan.segments_matched;
    statistics.segments_pruned_by_value = scan.segments_pruned_by_value;
    statistics.segments_pruned_by_limit = std::max<int64_t>(
        0, statistics.segments_queried - scan.segments_processed - scan.segments_pruned_by_value);
    if (!outcome.status.ok()) statistics.segments_pruned_by_limit = 0;
    statistics.segments_pruned =
        statistics.segments_pruned_by_value + statistics.segments_pruned_by_limit;
    statistics.documents_scanned = scan.documents_scanned;
    statistics.entries_scanned_in_filter = scan.entries_scanned_in_filter;
    statistics.entries_scanned_post_filter = scan.entries_scanned_post_filter;
    statistics.groups_limit_reached = scan.groups_limit_reached;
    if (outcome.status.ok()) outcome.status = SendBlocks(std::move(outcome.block));
    const auto elapsed = LeafExecution::Clock::now() - started_;
    statistics.execute_us = std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
    ObserveHistogram("trellis_server_stage_seconds",
                     "Time from request to last block of a leaf stage",
                     std::chrono::duration<double>(elapsed).count());
    EndWith(outcome.status, statistics);
  }

  Status SendBlocks(Block block) {
    size_t sent_bytes = 0;
    for (Block& part : SplitBlock(std::move(block), kBlockBytesTarget)) {
      TRELLIS_ASSIGN_OR_RETURN(
          wire::Slices slices,
          wire::EncodeLeafBlock(std::make_shared<const Block>(std::move(part))));
      sent_bytes += wire::TotalBytes(slices);
      if (sent_bytes > rep_->options.result_bytes_max) {
        return Status(StatusCode::kResourceExhausted,
                      fmt::format("the answer of this server is over {} bytes (result-bytes-max)",
                                  rep_->options.result_bytes_max),
                      PinotCode::kServerResourceLimit);
      }
      Send(std::move(slices));
    }
    return Status::Ok();
  }

  // The last message carries the query's status; the call itself ends well.
  void EndWith(const Status& status, const wire::LeafStatistics& statistics) {
    CountMetric("trellis_server_stages_total", "Leaf stages run");
    if (!status.ok())
      CountMetric("trellis_server_stage_errors_total", "Leaf stages that ended in an error");
    Send(wire::EncodeLeafDone({status, statistics}));
    End(Status::Ok());
  }

  void Send(std::string message) { Send(wire::Slices{wire::SharedBytes::Own(std::move(message))}); }
  void Send(wire::Slices message) {
    const std::lock_guard lock(mutex_);
    outgoing_.push_back(std::move(message));
    WriteNext();
  }

  // REQUIRES: mutex_ held.
  void WriteNext() {
    if (writing_) return;
    if (!outgoing_.empty()) {
      response_ = rpc::ToByteBuffer(outgoing_.front());
      outgoing_.pop_front();
      writing_ = true;
      StartWrite(&response_);
    } else if (ending_ && !ended_) {
      ended_ = true;
      grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>::Finish(
          rpc::ToGrpcStatus(end_status_));
    }
  }

  void End(Status status) {
    const std::lock_guard lock(mutex_);
    EndLocked(std::move(status));
  }

  // REQUIRES: mutex_ held.
  void EndLocked(Status status) {
    if (ending_) return;
    ending_ = true;
    end_status_ = std::move(status);
    WriteNext();
  }

  void Forget() {
    const std::lock_guard lock(rep_->mutex);
    const auto range = rep_->by_query.equal_range(query_id_);
    for (auto it = range.first; it != range.second;) {
      const auto stream = it->second.lock();
      it = !stream || stream.get() == this ? rep_->by_query.erase(it) : std::next(it);
    }
  }

  std::shared_ptr<LeafServer::Rep> rep_;
  std::shared_ptr<LeafStream> self_;  // until gRPC is done with the reactor
  // Of the request, which one callback or step after the other takes in.
  grpc::ByteBuffer incoming_;
  LeafExecution::Clock::time_point started_;
  wire::LeafRequest request_;
  std::optional<wire::ListAssembler> list_;
  size_t list_bytes_held_ = 0;
  std::string query_id_;

  std::mutex mutex_;
  grpc::ByteBuffer response_;
  std::deque<wire::Slices> outgoing_;
  bool reading_ = false;  // gRPC is: nothing of the request is being taken in
  bool request_late_ = false;
  bool writing_ = false;
  bool ending_ = false;
  bool ended_ = false;
  bool cancelled_ = false;
  bool delayed_ = false;
  grpc::Alarm request_time_;
  grpc::Alarm delay_;
  Status end_status_;
  std::shared_ptr<LeafExecution> execution_;
};

using RawLeafService = v1::LeafService::WithRawCallbackMethod_Execute<
    v1::LeafService::WithRawCallbackMethod_Cancel<v1::LeafService::Service>>;

class LeafService final : public RawLeafService {
 public:
  explicit LeafService(std::shared_ptr<LeafServer::Rep> rep) : rep_(std::move(rep)) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Execute(
      grpc::CallbackServerContext*) override {
    auto stream = std::make_shared<LeafStream>(rep_);
    stream->Begin();
    return stream.get();
  }

  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    const auto bytes = rpc::FromByteBuffer(*request);
    const auto id =
        bytes.ok() ? wire::DecodeCancelRequest(bytes->view) : Result<std::string>(bytes.status());
    if (!id.ok()) {
      reactor->Finish(rpc::ToGrpcStatus(id.status()));
      return reactor;
    }
    std::vector<std::shared_ptr<Cancellable>> found;
    {
      const std::lock_guard lock(rep_->mutex);
      const auto range = rep_->by_query.equal_range(*id);
      for (auto it = range.first; it != range.second; ++it) {
        if (auto stream = it->second.lock()) found.push_back(std::move(stream));
      }
    }
    for (const auto& stream : found) stream->Cancel();
    *response = rpc::ToByteBuffer(wire::EncodeCancelResponse(!found.empty()));
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  std::shared_ptr<LeafServer::Rep> rep_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakeLeafService(std::shared_ptr<LeafServer::Rep> rep) {
  return std::make_shared<LeafService>(std::move(rep));
}

}  // namespace trellis::server
