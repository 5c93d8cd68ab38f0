#include "server/service/leaf_server.h"

#include <grpcpp/grpcpp.h>

#include "server/service/leaf_server_rep.h"

namespace trellis::server {

LeafServer::LeafServer(std::shared_ptr<ServerInventory> inventory, const LeafServerOptions& options)
    : rep_(std::make_shared<Rep>(std::move(inventory), options)) {
  rep_->services.push_back(MakeLeafService(rep_));
  rep_->services.push_back(MakeInventoryService(rep_));
}

LeafServer::~LeafServer() {
  rep_->scheduler.reset();  // no thread may touch the services' calls any more
  rep_->services.clear();   // the services hold rep_, so this also breaks the circle
}

std::vector<grpc::Service*> LeafServer::services() {
  std::vector<grpc::Service*> list;
  for (const auto& service : rep_->services) list.push_back(service.get());
  return list;
}

ServerInventory& LeafServer::inventory() const { return *rep_->inventory; }

void LeafServer::StopAccepting() {
  rep_->accepting.store(false);
  const std::lock_guard lock(rep_->mutex);
  for (Cancellable* watcher : rep_->watchers) watcher->Cancel();
}

size_t LeafServer::running() const { return rep_->running.load(); }

}  // namespace trellis::server
