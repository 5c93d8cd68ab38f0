#include "broker/app/broker_process.h"

#include <charconv>
#include <thread>

#include "broker/cluster/cluster_view.h"
#include "broker/front/grpc_front.h"
#include "broker/front/http_front.h"
#include "broker/query/query_engine.h"
#include "common/http/http_server.h"
#include "common/rpc/server_runner.h"
#include "common/telemetry/log.h"
#include "common/wire/segment_list_codec.h"

namespace trellis::broker {
namespace {

// Errors: InvalidArgument unless `target` is HOST:PORT.
Status CheckAddress(const std::string& target) {
  const size_t colon = target.rfind(':');
  int port = 0;
  if (colon != std::string::npos && colon > 0) {
    const char* end = target.data() + target.size();
    const auto [stop, fault] = std::from_chars(target.data() + colon + 1, end, port);
    if (fault != std::errc() || stop != end) port = 0;
  }
  if (port > 0 && port <= 65535) return Status::Ok();
  return Status::InvalidArgument("--server: '{}' is not HOST:PORT", target);
}

EngineOptions EngineOptionsOf(const BrokerOptions& options) {
  EngineOptions engine;
  engine.timeout_ms = options.timeout_ms;
  if (options.segment_list_encoding != "auto")
    engine.segment_list_encoding = options.segment_list_encoding;
  engine.hedge = options.hedge;
  engine.hedge_delay.delay_min = std::chrono::milliseconds(options.hedge_delay_ms_min);
  engine.list_chunk_bytes = static_cast<size_t>(options.list_chunk_bytes);
  return engine;
}

class Process : public BrokerProcess {
 public:
  explicit Process(const BrokerOptions& options)
      : options_(options),
        cluster_(MakeStaticCluster(options.servers)),
        engine_(*cluster_, EngineOptionsOf(options)),
        pool_(static_cast<size_t>(options.query_threads),
              static_cast<size_t>(options.queries_waiting_max)),
        grpc_front_(MakeGrpcFront(engine_, pool_)) {}

  ~Process() override {
    engine_.CancelAll();
    http_.reset();
    if (grpc_) grpc_->Shutdown(std::chrono::milliseconds(0));
    pool_.Drain();
    grpc_.reset();
  }

  Status Open() {
    TRELLIS_ASSIGN_OR_RETURN(
        grpc_, rpc::ServerRunner::Start({options_.host, static_cast<int>(options_.grpc_port)},
                                        {grpc_front_.get()}));
    TRELLIS_ASSIGN_OR_RETURN(
        http_, http::HttpServer::Start(options_.host, static_cast<uint16_t>(options_.http_port),
                                       static_cast<int>(options_.http_threads), {},
                                       MakeHttpFront(engine_, pool_)));
    if (!cluster_->WaitForAll(std::chrono::milliseconds(options_.wait_for_servers_ms))) {
      spdlog::warn("not every server has reported yet; their tables appear when they do");
    }
    grpc_->SetServing(true);
    return Status::Ok();
  }

  int http_port() const override { return http_->port(); }
  int grpc_port() const override { return grpc_->port(); }

  void Drain() override {
    grpc_->SetServing(false);
    const std::chrono::milliseconds drain(options_.drain_ms);
    std::thread canceller([this, drain] {
      std::unique_lock lock(mutex_);
      if (!drained_.wait_for(lock, drain, [&] { return is_drained_; })) engine_.CancelAll();
    });
    const Status status = http_->Drain(drain);
    if (!status.ok()) spdlog::warn("http: {}", status.message());
    grpc_->Shutdown(drain);
    pool_.Drain();
    {
      const std::lock_guard lock(mutex_);
      is_drained_ = true;
    }
    drained_.notify_all();
    canceller.join();
  }

 private:
  BrokerOptions options_;
  std::unique_ptr<ClusterView> cluster_;
  QueryEngine engine_;
  TaskPool pool_;
  std::shared_ptr<grpc::Service> grpc_front_;
  std::unique_ptr<rpc::ServerRunner> grpc_;
  std::unique_ptr<http::HttpServer> http_;
  std::mutex mutex_;
  std::condition_variable drained_;
  bool is_drained_ = false;
};

}  // namespace

Result<std::unique_ptr<BrokerProcess>> BrokerProcess::Start(const BrokerOptions& options) {
  if (options.servers.empty())
    return Status::InvalidArgument("no server is given: --server HOST:PORT");
  for (const std::string& target : options.servers) TRELLIS_RETURN_IF_ERROR(CheckAddress(target));
  const std::string& encoding = options.segment_list_encoding;
  if (encoding != "auto" && !wire::ParseSegmentListEncoding(encoding)) {
    return Status::InvalidArgument(
        "--segment-list-encoding: '{}' is not auto, known, packed, names or legacy_json", encoding);
  }
  auto process = std::make_unique<Process>(options);
  TRELLIS_RETURN_IF_ERROR(process->Open());
  return std::unique_ptr<BrokerProcess>(std::move(process));
}

}  // namespace trellis::broker
