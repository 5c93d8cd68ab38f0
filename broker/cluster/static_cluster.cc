#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "broker/catalog/catalog_state.h"
#include "broker/cluster/cluster_view.h"
#include "broker/cluster/inventory_watch.h"
#include "broker/cluster/publish_pace.h"
#include "broker/cluster/server_feed.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"

namespace trellis::broker {
namespace {

using Clock = PublishPace::Clock;

constexpr std::chrono::milliseconds kBackoffMin{100};
constexpr std::chrono::milliseconds kBackoffMax{500};
// A server whose inventory cannot be used is asked for all of it again, and each time that may be a
// million segments: the pauses double up to this.
constexpr std::chrono::milliseconds kRefusedBackoffMax{60'000};
// A watch that has lasted this long was a good one: the next may begin without delay.
constexpr std::chrono::seconds kGoodWatch{10};

class StaticCluster : public ClusterView {
 public:
  explicit StaticCluster(const std::vector<std::string>& targets)
      : mailbox_(std::make_shared<WatchMailbox>()) {
    for (const std::string& target : targets) {
      const uint32_t position = catalog_.AddServer(target);
      Server& server = servers_.emplace_back(catalog_, position);
      server.channel = rpc::Channel::Create(target);
      channels_[target] = server.channel;
    }
    Publish();
    thread_ = std::thread([this] { Run(); });
  }

  ~StaticCluster() override {
    mailbox_->Stop();
    thread_.join();
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
    return published_.wait_for(lock, timeout, [&] {
      const auto& servers = snapshot_->servers;
      return std::all_of(servers.begin(), servers.end(),
                         [](const ServerEntry& server) { return server.reported; });
    });
  }

 private:
  struct Server {
    Server(CatalogState& catalog, uint32_t position) : feed(catalog, position) {}
    std::shared_ptr<rpc::Channel> channel;
    ServerFeed feed;
    std::unique_ptr<InventoryWatch> watch;  // null while none is under way
    uint64_t watches = 0;                   // number of the newest; events of others are ignored
    Clock::time_point begun;
    Clock::time_point retry_at = Clock::now();
    std::chrono::milliseconds backoff = kBackoffMin;
    std::chrono::milliseconds refused_backoff = kBackoffMin;
  };

  void Run() {
    while (!mailbox_->stopped()) {
      Clock::time_point next = std::min(pace_.due(), Clock::now() + std::chrono::seconds(1));
      for (uint32_t i = 0; i < servers_.size(); ++i) {
        if (!servers_[i].watch && Clock::now() >= servers_[i].retry_at) StartWatch(i);
        if (!servers_[i].watch) next = std::min(next, servers_[i].retry_at);
      }
      for (WatchEvent& event : mailbox_->Take(next)) {
        if (event.watch == servers_[event.server].watches) Handle(event);
        if (mailbox_->stopped()) return;
      }
      if (Clock::now() >= pace_.due()) Publish();
    }
  }

  void StartWatch(uint32_t position) {
    Server& server = servers_[position];
    server.feed.Begin();
    server.begun = Clock::now();
    server.watch =
        std::make_unique<InventoryWatch>(server.channel, mailbox_, position, ++server.watches);
  }

  void StopWatch(Server& server) {
    server.watch.reset();
    ++server.watches;
    if (Clock::now() - server.begun >= kGoodWatch)
      server.backoff = server.refused_backoff = kBackoffMin;
    server.retry_at = Clock::now() + server.backoff;
    server.backoff = std::min(server.backoff * 2, kBackoffMax);
  }

  // Ends a watch whose message could not be used.
  void RefuseWatch(Server& server) {
    StopWatch(server);
    server.retry_at = Clock::now() + server.refused_backoff;
    server.refused_backoff = std::min(server.refused_backoff * 2, kRefusedBackoffMax);
  }

  void Handle(const WatchEvent& event) {
    Server& server = servers_[event.server];
    if (event.inventory) {
      HandleInventory(server, event.inventory->view);
      return;
    }
    StopWatch(server);
    if (event.ended.code() == StatusCode::kDeadlineExceeded) return;  // renewed, not lost
    if (!server.feed.Lost()) return;
    spdlog::warn("server {} is gone: {}", server.channel->target(), event.ended.message());
    CountMetric("trellis_broker_servers_lost_total", "Times a server's watch ended");
    pace_.Changed(true);
  }

  void HandleInventory(Server& server, ByteView message) {
    auto inventory = wire::DecodeInventory(message);
    auto taken = inventory.ok() ? server.feed.Take(*inventory)
                                : Result<ServerFeed::Taken>(inventory.status());
    if (!taken.ok()) {
      // What it told before serves on until all of it has been told anew.
      spdlog::warn("server {}: its inventory is asked for anew in {} ms: {}",
                   server.channel->target(), server.refused_backoff.count(),
                   taken.status().message());
      CountMetric("trellis_broker_inventory_restarts_total",
                  "Times an inventory was asked for anew after a message that could not be used");
      RefuseWatch(server);
      pace_.Changed(false);  // what the cut update has left behind is given back
      return;
    }
    if (taken->changed) pace_.Changed(taken->came);
    server.watch->Next();
  }

  void Publish() {
    const Clock::time_point begin = Clock::now();
    auto snapshot = catalog_.Build();
    const Clock::time_point end = Clock::now();
    pace_.Published(begin, end);
    CountMetric("trellis_broker_snapshots_total", "Catalog snapshots built");
    ObserveHistogram("trellis_broker_snapshot_build_seconds", "Time to build a catalog snapshot",
                     std::chrono::duration<double>(end - begin).count());
    SetGauge("trellis_broker_servers_alive", "Servers whose inventory is being watched",
             static_cast<double>(std::count_if(snapshot->servers.begin(), snapshot->servers.end(),
                                               [](const auto& server) { return server.alive; })));
    SetGauge("trellis_broker_segments", "Segments that servers have announced",
             static_cast<double>(catalog_.segments()));
    SetGauge("trellis_broker_catalog_bytes", "Memory that announced segments take",
             static_cast<double>(catalog_.memory_bytes()));
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(snapshot);
    published_.notify_all();
  }

  std::shared_ptr<WatchMailbox> mailbox_;
  // Touched by thread_ only, after construction.
  CatalogState catalog_;
  std::vector<Server> servers_;
  PublishPace pace_;
  std::map<std::string, std::shared_ptr<rpc::Channel>> channels_;
  mutable std::mutex mutex_;
  mutable std::condition_variable published_;
  std::shared_ptr<const CatalogSnapshot> snapshot_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ClusterView> MakeStaticCluster(const std::vector<std::string>& targets) {
  return std::make_unique<StaticCluster>(targets);
}

}  // namespace trellis::broker
