#include "broker/dispatch/replica_finder.h"

#include <algorithm>

namespace trellis::broker {
namespace {

// Whether the table still has the segment, though nobody can read it any more.
bool IsBroken(const Table& table, std::string_view name) {
  return std::any_of(table.broken.begin(), table.broken.end(),
                     [&](const BrokenReport& broken) { return broken.name == name; });
}

}  // namespace

Roaring ReplicaShare::ToRouted(const Roaring& ids) const {
  if (translation.empty()) return ids;
  Roaring routed;
  for (const auto& [id, routed_id] : translation) {
    if (ids.contains(id)) routed.add(routed_id);
  }
  return routed;
}

Replicas FindReplicas(const Route& route, std::shared_ptr<const CatalogSnapshot> newest,
                      const Roaring& ids, std::span<const std::string> tried) {
  Replicas found;
  std::shared_ptr<const Table> table = route.table;
  if (newest != route.snapshot) {
    const auto named = newest->tables.find(route.table->name);
    // A table that is gone as a whole says nothing about its segments.
    if (named == newest->tables.end()) {
      newest = route.snapshot;
    } else {
      table = named->second;
    }
  }
  found.snapshot = newest;
  std::vector<std::pair<uint32_t, uint32_t>> translation;
  Roaring wanted;
  if (table->segments == route.table->segments) {  // liveness alone has changed, at most
    wanted = ids;
  } else {
    for (const uint32_t id : ids) {
      const auto there = table->segments->FindOf(*route.table->segments, id);
      if (there) translation.emplace_back(*there, id);
      if (!there && !IsBroken(*table, route.table->segments->name(id))) found.gone.add(id);
    }
    std::sort(translation.begin(), translation.end());
    for (const auto& [id, routed] : translation) wanted.add(id);
  }
  std::vector<uint32_t> excluded;
  for (uint32_t i = 0; i < newest->servers.size(); ++i) {
    if (std::find(tried.begin(), tried.end(), newest->servers[i].target) != tried.end())
      excluded.push_back(i);
  }
  Roaring uncovered;
  for (RoutedShare& share : RouteAgain(*newest, *table, wanted, excluded, uncovered)) {
    ReplicaShare& replica = found.shares.emplace_back();
    replica.table = table;
    for (const auto& pair : translation) {
      if (share.ids->contains(pair.first)) replica.translation.push_back(pair);
    }
    replica.routed = replica.ToRouted(*share.ids);
    replica.share = std::move(share);
  }
  found.rest = ids;
  for (const ReplicaShare& replica : found.shares) found.rest -= replica.routed;
  if (found.rest.isEmpty()) return found;
  const ReplicaShare names{table, {}, {}, translation};
  for (const auto& part : table->parts) {
    if (newest->servers[part->server].alive ||
        std::find(excluded.begin(), excluded.end(), part->server) != excluded.end())
      continue;
    found.away |= names.ToRouted(part->held & wanted);
  }
  found.away &= found.rest;
  return found;
}

}  // namespace trellis::broker
