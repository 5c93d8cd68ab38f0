#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "broker/catalog/catalog.h"
#include "common/rpc/channel.h"

namespace trellis::broker {

// Who serves what. Thread-safe. A later view reads Helix's ZooKeeper layout behind the same
// interface.
class ClusterView {
 public:
  virtual ~ClusterView() = default;
  // The newest catalog; never null.
  virtual std::shared_ptr<const CatalogSnapshot> snapshot() const = 0;
  // The connection to a server of the snapshot.
  virtual std::shared_ptr<rpc::Channel> channel(const std::string& target) const = 0;
  // Waits until every server has reported once, or the time is over; true if all have.
  virtual bool WaitForAll(std::chrono::milliseconds timeout) const = 0;
};

// Servers given by address; each is watched and reconnected for as long as the view lives. A server
// that cannot be reached keeps its last reported segments, marked as not alive.
std::unique_ptr<ClusterView> MakeStaticCluster(const std::vector<std::string>& targets);

}  // namespace trellis::broker
