#include "server/app/server_process.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "common/http/http_server.h"
#include "common/memory/mapping_bound.h"
#include "common/rpc/server_runner.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"
#include "common/wire/segment_list_codec.h"
#include "server/app/admin_door.h"
#include "server/service/leaf_server.h"
#include "server/store/data_directory.h"

namespace trellis::server {
namespace {

size_t ThreadCount(int64_t wanted) {
  if (wanted > 0) return static_cast<size_t>(wanted);
  return std::max<size_t>(std::thread::hardware_concurrency(), 1);
}

void SetMappingGauges();

void SetGauges(const ServerInventory& inventory) {
  SetMappingGauges();
  size_t segments = 0;
  size_t broken = 0;
  size_t memory_bytes = 0;
  for (const auto& [name, table] : inventory.tables()) {
    const auto snapshot = table->current();
    segments += snapshot->size();
    broken += snapshot->info().broken.size();
    memory_bytes += table->memory_bytes();
  }
  SetGauge("trellis_server_segments", "Segments this server can read",
           static_cast<double>(segments));
  SetGauge("trellis_server_segments_broken", "Segments that could not be opened",
           static_cast<double>(broken));
  SetGauge("trellis_server_inventory_epoch", "Changes of the inventory, counted from 1",
           static_cast<double>(inventory.epoch()));
  SetGauge("trellis_server_inventory_memory_bytes", "Memory that the inventory takes, files aside",
           static_cast<double>(memory_bytes));
}

// Tells of the mappings of index files; warns once when they come near the system's limit.
void SetMappingGauges() {
  const memory::MappingsUse use = memory::CurrentMappings();
  SetGauge("trellis_mappings", "Index files mapped now", static_cast<double>(use.mapped));
  SetGauge("trellis_mappings_bound", "Index files that may be mapped (segment-mappings-max)",
           static_cast<double>(use.bound));
  SetGauge("trellis_mappings_limit", "Mappings the system allows a process (vm.max_map_count)",
           static_cast<double>(use.system_max));
  SetGauge("trellis_mappings_torn", "Index files that were cut short while they were mapped",
           static_cast<double>(use.torn_total));
  static std::atomic<bool> warned{false};
  if (!use.nearly_full()) {
    warned.store(false);
  } else if (!warned.exchange(true)) {
    spdlog::warn("{} index files are mapped, the system allows a process {} mappings", use.mapped,
                 use.system_max);
  }
}

Status CheckEncodings(const std::vector<std::string>& encodings) {
  if (encodings.empty())
    return Status::InvalidArgument("segment-list-encodings: at least one is needed");
  for (const std::string& name : encodings) {
    if (wire::ParseSegmentListEncoding(name)) continue;
    return Status::InvalidArgument(
        "segment-list-encodings: '{}' is none, expected known, packed, names or legacy_json", name);
  }
  return Status::Ok();
}

class Process : public ServerProcess {
 public:
  Process(const ServerOptions& options, std::unique_ptr<DataDirectory> directory)
      : options_(options),
        directory_(std::move(directory)),
        leaf_(directory_->inventory(), LeafOptions(options)) {}

  ~Process() override {
    StopRescans();
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
                                         1, {}, MakeAdminDoor(directory_->inventory(), ready_)));
    }
    SetGauges(leaf_.inventory());
    if (options_.rescan_ms > 0) rescans_ = std::thread([this] { Rescan(); });
    grpc_->SetServing(true);
    ready_.store(true);
    return Status::Ok();
  }

  int grpc_port() const override { return grpc_->port(); }
  int http_port() const override { return http_ ? http_->port() : -1; }

  void Drain() override {
    StopRescans();
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
    leaf.segment_list_encodings = options.segment_list_encodings;
    leaf.delay_answers_ms = std::chrono::milliseconds(options.delay_answers_ms);
    return leaf;
  }

  void Rescan() {
    using Clock = std::chrono::steady_clock;
    std::chrono::nanoseconds pause = std::chrono::milliseconds(options_.rescan_ms);
    std::string failure;
    std::unique_lock lock(rescan_mutex_);
    while (!rescan_stop_.wait_for(lock, pause, [this] { return stopping_; })) {
      lock.unlock();
      const auto start = Clock::now();
      const Status status = directory_->Rescan();
      SetGauges(leaf_.inventory());
      // A failure that lasts is told once.
      if (!status.ok() && status.message() != failure)
        spdlog::error("rescan: {}; the tables stay as they were", status.message());
      failure = status.message();
      const auto took = Clock::now() - start;
      ObserveHistogram("trellis_server_rescan_seconds", "Time of a look at the data directory",
                       std::chrono::duration<double>(took).count());
      // However large the directory is, most of the time is for queries.
      constexpr int kPausesAScan = 10;
      pause = std::max<std::chrono::nanoseconds>(std::chrono::milliseconds(options_.rescan_ms),
                                                 took * kPausesAScan);
      lock.lock();
    }
  }
  void StopRescans() {
    {
      const std::lock_guard lock(rescan_mutex_);
      stopping_ = true;
    }
    rescan_stop_.notify_all();
    if (rescans_.joinable()) rescans_.join();
  }

  ServerOptions options_;
  std::unique_ptr<DataDirectory> directory_;  // used by the rescans alone once they run
  std::atomic<bool> ready_{false};
  LeafServer leaf_;
  std::unique_ptr<rpc::ServerRunner> grpc_;
  std::unique_ptr<http::HttpServer> http_;

  std::mutex rescan_mutex_;
  std::condition_variable rescan_stop_;
  bool stopping_ = false;  // guarded by rescan_mutex_
  std::thread rescans_;
};

}  // namespace

Result<std::unique_ptr<ServerProcess>> ServerProcess::Start(const ServerOptions& options) {
  memory::SetMappingsBound(static_cast<uint64_t>(options.segment_mappings_max));
  if (options.data_dir.empty())
    return Status::InvalidArgument("no data directory is given: --data-dir DIR");
  TRELLIS_RETURN_IF_ERROR(CheckEncodings(options.segment_list_encodings));
  TRELLIS_ASSIGN_OR_RETURN(
      auto directory,
      DataDirectory::Open(options.data_dir, {.threads = ThreadCount(options.threads),
                                             .follow_links = options.follow_links,
                                             .verify = options.verify_on_load,
                                             .legacy_padding = options.legacy_padding}));
  auto process = std::make_unique<Process>(options, std::move(directory));
  TRELLIS_RETURN_IF_ERROR(process->Open());
  return std::unique_ptr<ServerProcess>(std::move(process));
}

}  // namespace trellis::server
