#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "broker/cluster/cluster_view.h"
#include "common/rpc/call.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"
#include "common/wire/leaf_messages.h"

namespace trellis::broker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBackoffMin{100};
constexpr std::chrono::milliseconds kBackoffMax{2'000};
// A watch is renewed after this long even when all is well, so that a half-dead connection is
// noticed.
constexpr std::chrono::hours kWatchLength{1};

struct Event {
  size_t server;
  uint64_t watch;  // which watch of that server; older ones are ignored
  std::optional<wire::SharedBytes> inventory;
  Status ended;
};

// Filled by gRPC's threads, drained by the cluster's own.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Event> events;
  bool stopping = false;

  void Put(Event event) {
    {
      const std::lock_guard lock(mutex);
      events.push_back(std::move(event));
    }
    wake.notify_one();
  }
};

class Watcher : public rpc::StreamHandler {
 public:
  Watcher(std::shared_ptr<Mailbox> mailbox, size_t server, uint64_t watch)
      : mailbox_(std::move(mailbox)), server_(server), watch_(watch) {}
  void OnMessage(wire::SharedBytes message) override {
    mailbox_->Put({server_, watch_, std::move(message), {}});
  }
  void OnDone(Status status) override {
    if (status.ok()) status = Status::Unavailable("the server ended the watch");
    mailbox_->Put({server_, watch_, std::nullopt, std::move(status)});
  }

 private:
  std::shared_ptr<Mailbox> mailbox_;
  size_t server_;
  uint64_t watch_;
};

class StaticCluster : public ClusterView {
 public:
  explicit StaticCluster(const std::vector<std::string>& targets)
      : mailbox_(std::make_shared<Mailbox>()) {
    for (const std::string& target : targets) {
      servers_.push_back({});
      servers_.back().channel = rpc::Channel::Create(target);
      servers_.back().report.server.target = target;
      channels_[target] = servers_.back().channel;
    }
    Publish();
    thread_ = std::thread([this] { Run(); });
  }

  ~StaticCluster() override {
    {
      const std::lock_guard lock(mailbox_->mutex);
      mailbox_->stopping = true;
    }
    mailbox_->wake.notify_one();
    thread_.join();
    for (Server& server : servers_) {
      if (server.call) server.call->TryCancel();
    }
  }

  std::shared_ptr<const CatalogSnapshot> snapshot() const override {
    const std::lock_guard lock(mutex_);
    return snapshot_;
  }
  std::shared_ptr<rpc::Channel> channel(const std::string& target) const override {
    const auto found = channels_.find(target);
    return found == channels_.end() ? nullptr : found->second;
  }
  bool WaitForAll(std::chrono::milliseconds timeout) const override {
    std::unique_lock lock(mutex_);
    return reported_.wait_for(lock, timeout, [&] { return reported_count_ == servers_.size(); });
  }

 private:
  struct Server {
    std::shared_ptr<rpc::Channel> channel;
    std::shared_ptr<rpc::StreamCall> call;
    uint64_t watch = 0;
    bool watching = false;
    bool reported = false;
    Clock::time_point retry_at = Clock::now();
    std::chrono::milliseconds backoff = kBackoffMin;
    ReportedServer report;
  };

  void Run() {
    while (true) {
      Clock::time_point next = Clock::now() + std::chrono::seconds(1);
      for (size_t i = 0; i < servers_.size(); ++i) {
        Server& server = servers_[i];
        if (!server.watching && Clock::now() >= server.retry_at) StartWatch(i);
        if (!server.watching) next = std::min(next, server.retry_at);
      }
      std::deque<Event> events;
      {
        std::unique_lock lock(mailbox_->mutex);
        mailbox_->wake.wait_until(lock, next,
                                  [&] { return mailbox_->stopping || !mailbox_->events.empty(); });
        if (mailbox_->stopping) return;
        events.swap(mailbox_->events);
      }
      bool changed = false;
      for (Event& event : events) {
        if (event.watch == servers_[event.server].watch) changed |= Handle(event);
      }
      if (changed) Publish();
    }
  }

  void StartWatch(size_t index) {
    Server& server = servers_[index];
    server.watching = true;
    ++server.watch;
    rpc::CallOptions options;
    options.timeout = kWatchLength;
    server.call =
        rpc::StreamCall::Start(server.channel, wire::kInventoryWatchMethod,
                               {wire::SharedBytes::Own(wire::EncodeWatchRequest())},
                               std::make_shared<Watcher>(mailbox_, index, server.watch), options);
  }

  // Returns whether the catalog changes.
  bool Handle(Event& event) {
    Server& server = servers_[event.server];
    if (event.inventory) {
      const auto inventory = wire::DecodeInventory(event.inventory->view);
      if (inventory.ok()) {
        Take(server, *inventory);
        return true;
      }
      spdlog::warn("server {}: its inventory cannot be read: {}", server.report.server.target,
                   inventory.status().message());
      return false;
    }
    server.watching = false;
    server.retry_at = Clock::now() + server.backoff;
    server.backoff = std::min(server.backoff * 2, kBackoffMax);
    if (event.ended.code() == StatusCode::kDeadlineExceeded) return false;  // renewed, not lost
    const bool was_alive = server.report.server.alive;
    if (was_alive) {
      spdlog::warn("server {} is gone: {}", server.report.server.target, event.ended.message());
      CountMetric("trellis_broker_servers_lost_total", "Times a server's watch ended");
    }
    server.report.server.alive = false;
    return was_alive;
  }

  void Take(Server& server, const wire::Inventory& inventory) {
    server.backoff = kBackoffMin;
    server.reported = true;
    server.report.server.alive = true;
    server.report.server.reported = true;
    server.report.server.segment_list_encodings = inventory.segment_list_encodings;
    server.report.server.build_version = inventory.build_version;
    server.report.tables.clear();
    for (const wire::TableInventory& table : inventory.tables) {
      ReportedTable reported{table.table, table.schema_json, table.config_json, table.refused, {}};
      for (const wire::SegmentEntry& segment : table.segments) {
        reported.segments.push_back({segment.name, segment.rows, segment.start_time_ms,
                                     segment.end_time_ms, segment.broken});
      }
      server.report.tables.push_back(std::move(reported));
    }
    spdlog::info("server {} holds {} tables", server.report.server.target, inventory.tables.size());
  }

  void Publish() {
    std::vector<ReportedServer> reports;
    size_t reported = 0;
    size_t alive = 0;
    for (const Server& server : servers_) {
      reports.push_back(server.report);
      reported += server.reported;
      alive += server.report.server.alive;
    }
    auto snapshot = BuildCatalog(reports);
    SetGauge("trellis_broker_servers_alive", "Servers whose inventory is being watched",
             static_cast<double>(alive));
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(snapshot);
    reported_count_ = reported;
    reported_.notify_all();
  }

  std::shared_ptr<Mailbox> mailbox_;
  std::vector<Server> servers_;  // touched by thread_ only, after construction
  std::map<std::string, std::shared_ptr<rpc::Channel>> channels_;
  mutable std::mutex mutex_;
  mutable std::condition_variable reported_;
  std::shared_ptr<const CatalogSnapshot> snapshot_;
  size_t reported_count_ = 0;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ClusterView> MakeStaticCluster(const std::vector<std::string>& targets) {
  return std::make_unique<StaticCluster>(targets);
}

}  // namespace trellis::broker
