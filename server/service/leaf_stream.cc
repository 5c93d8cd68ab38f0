// The gRPC side of one leaf stage. Callbacks only move messages: decoding and running happen on the
// scheduler's threads.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <deque>

#include "common/rpc/byte_buffer.h"
#include "common/rpc/status_conversion.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"
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
      StartRead(&request_);
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      if (!received_) End(Status::InvalidArgument("the stream ended before a request"));
      return;
    }
    received_ = true;
    // The scheduler's thread decodes: a list of many names takes milliseconds.
    class Prepare : public Work {
     public:
      explicit Prepare(std::shared_ptr<LeafStream> stream) : stream_(std::move(stream)) {}
      bool RunStep() override {
        if (claimed_.exchange(true)) return false;
        stream_->Run();
        return true;
      }
      size_t parallelism_max() const override { return 1; }

     private:
      std::shared_ptr<LeafStream> stream_;
      std::atomic<bool> claimed_{false};
    };
    rep_->scheduler->Submit(std::make_shared<Prepare>(shared_from_this()));
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
    rep_->running.fetch_sub(1);
    self_.reset();
  }

  void Cancel() override {
    std::shared_ptr<LeafExecution> execution;
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      execution = execution_;
    }
    if (execution) execution->Cancel();
  }

 private:
  void Run() {
    const auto started = LeafExecution::Clock::now();
    auto bytes = rpc::FromByteBuffer(request_);
    if (!bytes.ok()) return End(bytes.status());
    auto request = wire::DecodeLeafRequest(*bytes);
    if (!request.ok()) return End(request.status());
    query_id_ = request->query_id;
    {
      const std::lock_guard lock(rep_->mutex);
      rep_->by_query.emplace(query_id_, weak_from_this());
    }
    auto prepared = PrepareStage(*request, *rep_->store, rep_->options.groups_max);
    if (!prepared.ok()) return EndWith(prepared.status(), {});
    Send(wire::EncodeLeafAccepted(prepared->accepted));
    const int64_t timeout_ms =
        std::clamp<int64_t>(request->timeout_ms, 1, rep_->options.timeout_ms_max);
    auto execution = std::make_shared<LeafExecution>(
        prepared->query, rep_->store, std::move(prepared->segments),
        started + std::chrono::milliseconds(timeout_ms), rep_->scheduler->thread_count(),
        [self = shared_from_this(), statistics = prepared->statistics,
         started](LeafOutcome outcome) { self->Finish(std::move(outcome), statistics, started); });
    bool cancelled;
    {
      const std::lock_guard lock(mutex_);
      execution_ = execution;
      cancelled = cancelled_;
    }
    if (cancelled) execution->Cancel();
    rep_->scheduler->Submit(std::move(execution));
  }

  void Finish(LeafOutcome outcome, wire::LeafStatistics statistics,
              LeafExecution::Clock::time_point started) {
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
    const auto elapsed = LeafExecution::Clock::now() - started;
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
  grpc::ByteBuffer request_;
  std::string query_id_;
  bool received_ = false;

  std::mutex mutex_;
  grpc::ByteBuffer response_;
  std::deque<wire::Slices> outgoing_;
  bool writing_ = false;
  bool ending_ = false;
  bool ended_ = false;
  bool cancelled_ = false;
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
