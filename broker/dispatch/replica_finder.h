#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broker/routing/router.h"

namespace trellis::broker {

// A share of one catalog's table, and what it means in the route's table.
struct ReplicaShare {
  std::shared_ptr<const Table> table;  // that `share` speaks of
  RoutedShare share;
  Roaring routed;  // the same segments as ids of the route's table
  // share id, routed id; ascending; empty when they are the same.
  std::vector<std::pair<uint32_t, uint32_t>> translation;

  // Ids of `share` as ids of the route's table.
  Roaring ToRouted(const Roaring& ids) const;
};

struct Replicas {
  std::shared_ptr<const CatalogSnapshot> snapshot;  // that the shares' servers are positions in
  std::vector<ReplicaShare> shares;
  Roaring rest;  // routed ids that no server left can take
  Roaring gone;  // of these, those that the catalog's table has dropped
  Roaring away;  // and those that an untried server holds which is not alive: it may come back
};

// Finds other servers for `ids` of the route's table in `newest`, which may be the route's own
// snapshot or a later one, where the same segments have other ids. `tried` are targets not to use.
// Costs O(ids) where the table has changed (and its name index, once), less where it has not.
Replicas FindReplicas(const Route& route, std::shared_ptr<const CatalogSnapshot> newest,
                      const Roaring& ids, std::span<const std::string> tried);

}  // namespace trellis::broker
