#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "server/service/leaf_server.h"

namespace trellis::server {

// Something that a client's Cancel can stop.
class Cancellable {
 public:
  virtual ~Cancellable() = default;
  virtual void Cancel() = 0;
};

// What the service's calls share. Thread-safe.
struct LeafServer::Rep {
  Rep(std::shared_ptr<ServerInventory> tables, const LeafServerOptions& o)
      : inventory(std::move(tables)),
        options(o),
        scheduler(std::make_unique<Scheduler>(o.threads)) {}

  const std::shared_ptr<ServerInventory> inventory;
  LeafServerOptions options;
  std::atomic<bool> accepting{true};
  std::atomic<size_t> running{0};
  std::atomic<size_t> list_bytes_held{0};  // of long lists that are not complete yet
  std::vector<std::shared_ptr<grpc::Service>> services;

  std::mutex mutex;
  std::multimap<std::string, std::weak_ptr<Cancellable>> by_query;  // guarded by mutex
  std::set<Cancellable*> watchers;                                  // guarded by mutex

  std::unique_ptr<Scheduler> scheduler;  // last: its threads use the members above
};

// One stage of one query on this server: decodes, runs, streams. See leaf_stream.cc.
std::shared_ptr<grpc::Service> MakeLeafService(std::shared_ptr<LeafServer::Rep> rep);
std::shared_ptr<grpc::Service> MakeInventoryService(std::shared_ptr<LeafServer::Rep> rep);

}  // namespace trellis::server
