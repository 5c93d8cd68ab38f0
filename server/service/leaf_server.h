#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "server/execute/scheduler.h"
#include "server/inventory/server_inventory.h"

namespace grpc {
class Service;
}

namespace trellis::server {

struct LeafServerOptions {
  size_t threads = 2;
  size_t groups_max = 2'000'000;              // groups one query may hold on this server
  int64_t timeout_ms_max = 3'600'000;         // longest a stage may run, whatever the request says
  size_t result_bytes_max = size_t{1} << 30;  // encoded rows one query may answer with
  size_t running_max = 1'000;  // stages at a time; more are refused with RESOURCE_EXHAUSTED
  // Bytes of long segment lists under way at a time; more are refused with RESOURCE_EXHAUSTED.
  size_t list_bytes_max = size_t{1} << 30;
  // A stream whose request, list included, is not complete by then ends with DEADLINE_EXCEEDED.
  std::chrono::milliseconds request_ms_max{10'000};
  // For testing: how long each stage waits before its first answer.
  std::chrono::milliseconds delay_answers_ms{0};
  // What brokers are told that this server reads, best first. It reads all of them whatever it
  // says.
  std::vector<std::string> segment_list_encodings{"known", "packed", "names", "legacy_json"};
};

// The gRPC door of a leaf server: LeafService and InventoryService over one inventory. Thread-safe.
// Outlives the gRPC server that serves it.
class LeafServer {
 public:
  LeafServer(std::shared_ptr<ServerInventory> inventory, const LeafServerOptions& options);
  ~LeafServer();

  std::vector<grpc::Service*> services();
  ServerInventory& inventory() const;
  // Ends Watch streams and refuses new stages; running ones go on. For draining.
  void StopAccepting();
  size_t running() const;

  struct Rep;

 private:
  std::shared_ptr<Rep> rep_;
};

}  // namespace trellis::server
