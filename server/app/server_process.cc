#include "server/app/server_process.h"

#include <algorithm>
#include <thread>

#include "common/http/http_server.h"
#include "common/rpc/server_runner.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"
#include "server/app/admin_door.h"
#include "server/service/leaf_server.h"

namespace trellis::server {
namespace {

size_t ThreadCount(int64_t wanted) {
  if (wanted > 0) return static_cast<size_t>(wanted);
  return std::max<size_t>(std::thread::hardware_concurrency(), 1);
}

class Process : public ServerProcess {
 public:
  Process(const ServerOptions& options, std::shared_ptr<const StoreSnapshot> store)
      : options_(options), store_(store), leaf_(std::move(store), LeafOptions(options)) {}

  ~Process() override {
    http_.reset();
    leaf_.StopAccepting();
    if (grpc_) grpc_->Shutdown(std::chrono::milliseconds(0));
    grpc_.reset();
  }

  Status Open() {
    TRELLIS_ASSIGN_OR_RETURN(
        grpc_, rpc::ServerRunner::Start({options_.host, static_cast<int>(options_.grpc_port)},
                                        leaf_.services()));
    if (options_.http_port >= 0) {
      TRELLIS_ASSIGN_OR_RETURN(
          http_, http::HttpServer::Start(options_.host, static_cast<uint16_t>(options_.http_port),
                                         1, {}, MakeAdminDoor(*store_, ready_)));
    }
    size_t segments = 0;
    size_t broken = 0;
    for (const auto& [name, table] : store_->tables) {
      segments += table->segments.size();
      broken += table->broken.size();
    }
    SetGauge("trellis_server_segments", "Segments this server can read",
             static_cast<double>(segments));
    SetGauge("trellis_server_segments_broken", "Segments that could not be opened",
             static_cast<double>(broken));
    grpc_->SetServing(true);
    ready_.store(true);
    return Status::Ok();
  }

  int grpc_port() const override { return grpc_->port(); }
  int http_port() const override { return http_ ? http_->port() : -1; }

  void Drain() override {
    ready_.store(false);
    grpc_->SetServing(false);
    leaf_.StopAccepting();
    const std::chrono::milliseconds drain(options_.drain_ms);
    grpc_->Shutdown(drain);
    if (http_) {
      const Status status = http_->Drain(drain);
      if (!status.ok()) spdlog::warn("http: {}", status.message());
    }
  }

 private:
  static LeafServerOptions LeafOptions(const ServerOptions& options) {
    LeafServerOptions leaf;
    leaf.threads = ThreadCount(options.threads);
    leaf.groups_max = static_cast<size_t>(options.groups_max);
    leaf.result_bytes_max = static_cast<size_t>(options.result_bytes_max);
    leaf.running_max = static_cast<size_t>(options.stages_running_max);
    return leaf;
  }

  ServerOptions options_;
  std::shared_ptr<const StoreSnapshot> store_;
  std::atomic<bool> ready_{false};
  LeafServer leaf_;
  std::unique_ptr<rpc::ServerRunner> grpc_;
  std::unique_ptr<http::HttpServer> http_;
};

}  // namespace

Result<std::unique_ptr<ServerProcess>> ServerProcess::Start(const ServerOptions& options) {
  if (options.data_dir.empty())
    return Status::InvalidArgument("no data directory is given: --data-dir DIR");
  TRELLIS_ASSIGN_OR_RETURN(
      auto store, LoadDataDirectory(options.data_dir, {.threads = ThreadCount(options.threads)}));
  auto process = std::make_unique<Process>(options, std::move(store));
  TRELLIS_RETURN_IF_ERROR(process->Open());
  return std::unique_ptr<ServerProcess>(std::move(process));
}

}  // namespace trellis::server
