#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "broker/catalog/catalog_state.h"
#include "broker/cluster/cluster_view.h"
#include "common/rpc/channel.h"
#include "common/rpc/server_runner.h"
#include "server/service/leaf_server.h"
#include "server/store/data_directory.h"

namespace trellis::broker {

// The example data, opened once a process.
inline const std::shared_ptr<server::ServerInventory>& ExampleInventory() {
  static const auto directory = [] {
    auto opened = server::DataDirectory::Open(TRELLIS_EXAMPLE_DATA, {.threads = 1});
    INFO(opened.status().message());
    REQUIRE(opened.ok());
    return std::move(*opened);
  }();
  return directory->inventory();
}

// A leaf server over examples/data in this process, on a port of its own.
class InProcessLeaf {
 public:
  explicit InProcessLeaf(int port = 0)
      : leaf_(std::make_unique<server::LeafServer>(ExampleInventory(),
                                                   server::LeafServerOptions{.threads = 1})) {
    auto runner = rpc::ServerRunner::Start({"127.0.0.1", port}, leaf_->services());
    INFO(runner.status().message());
    REQUIRE(runner.ok());
    runner_ = std::move(*runner);
  }
  ~InProcessLeaf() {
    leaf_->StopAccepting();
    runner_->Shutdown(std::chrono::milliseconds(0));
  }
  std::string target() const { return "127.0.0.1:" + std::to_string(runner_->port()); }
  int port() const { return runner_->port(); }
  server::ServerInventory& inventory() const { return leaf_->inventory(); }

 private:
  std::unique_ptr<server::LeafServer> leaf_;
  std::unique_ptr<rpc::ServerRunner> runner_;
};

// A port that takes connections and never says a word: what a hanging server looks like.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    REQUIRE(listen(socket_, 8) == 0);
    socklen_t size = sizeof(address);
    REQUIRE(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    target_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentServer() { close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  const std::string& target() const { return target_; }

 private:
  int socket_;
  std::string target_;
};

// A target where nobody listens (any more).
inline std::string DeadTarget() { return SilentServer().target(); }

// A catalog entry for a server that is said to hold these segments of `rides`.
inline ReportedServer RidesAt(const std::string& target, const std::vector<std::string>& segments) {
  ReportedServer report;
  report.server.target = target;
  report.server.alive = true;
  report.server.reported = true;
  report.server.segment_list_encodings = {"names"};
  ReportedTable table;
  table.name = "rides_OFFLINE";
  table.schema_json = ExampleInventory()->Find("rides_OFFLINE")->current()->info().schema_json;
  for (const std::string& segment : segments) table.segments.push_back({segment, 1, {}, {}, ""});
  report.tables.push_back(std::move(table));
  return report;
}

inline const std::vector<std::string>& RidesSegments() {
  static const std::vector<std::string> names{
      "rides_2026-06-01_2026-06-07", "rides_2026-06-08_2026-06-14", "rides_2026-06-15_2026-06-21",
      "rides_2026-06-22_2026-06-28", "rides_2026-06-29_2026-07-05"};
  return names;
}
inline constexpr int64_t kRidesRows = 5'000;

// A view that never changes. `channel` runs `on_channel` first, when a query begins to be sent.
class FixedCluster : public ClusterView {
 public:
  explicit FixedCluster(const std::vector<ReportedServer>& reports)
      : snapshot_(BuildCatalog(reports)) {}
  std::shared_ptr<const CatalogSnapshot> snapshot() const override { return snapshot_; }
  std::shared_ptr<rpc::Channel> channel(const std::string& target) const override {
    if (on_channel) on_channel();
    return rpc::Channel::Create(target);
  }
  bool WaitForAll(std::chrono::milliseconds) const override { return true; }

  std::function<void()> on_channel;

 private:
  std::shared_ptr<const CatalogSnapshot> snapshot_;
};

// Asks `holds` every few milliseconds until it is true; false when that takes over 20 seconds.
template <class F>
bool Eventually(F&& holds) {
  for (int i = 0; i < 2'000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace trellis::broker
