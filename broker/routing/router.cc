#include "broker/routing/router.h"

#include <algorithm>

#include "broker/catalog/replica_spread.h"
#include "broker/routing/segment_pruner.h"

namespace trellis::broker {
namespace {

void TakeWhole(const Assignment& assignment, Route& route) {
  for (const ServerShare& share : assignment.shares) {
    route.shares.push_back({share.part, share.ids, share.count, share.lists});
    route.segments_routed += share.count;
  }
}

void TakePruned(const Assignment& assignment, const Roaring& survivors, Route& route) {
  for (const ServerShare& share : assignment.shares) {
    auto ids = std::make_shared<Roaring>(*share.ids & survivors);
    const uint64_t count = ids->cardinality();
    if (count == 0) continue;
    route.segments_routed += count;
    if (count == share.count) {
      route.shares.push_back({share.part, share.ids, share.count, share.lists});
    } else {
      route.shares.push_back({share.part, std::move(ids), count, nullptr});
    }
  }
}

// Positions, in `ids` (ascending), of those that `held` has too.
std::vector<uint32_t> PositionsOf(const std::vector<uint32_t>& ids, const Roaring& asked,
                                  const Roaring& held) {
  const Roaring both = asked & held;
  std::vector<uint32_t> positions(both.cardinality());
  both.toUint32Array(positions.data());
  size_t at = 0;
  for (uint32_t& position : positions) {
    while (ids[at] != position) ++at;
    position = static_cast<uint32_t>(at);
  }
  return positions;
}

Roaring IdsAt(const std::vector<uint32_t>& ids, const std::vector<uint32_t>& positions) {
  std::vector<uint32_t> at;
  at.reserve(positions.size());
  for (const uint32_t position : positions) at.push_back(ids[position]);
  Roaring found(at.size(), at.data());
  found.runOptimize();
  return found;
}

}  // namespace

Route ChooseRoute(std::shared_ptr<const CatalogSnapshot> snapshot,
                  std::shared_ptr<const Table> table, const plan::Filter* filter, uint64_t turn) {
  Route route;
  const Assignment& assignment = table->assignments[turn % table->assignments.size()];
  const TableSegments& segments = *table->segments;
  route.unavailable = table->unavailable;
  if (filter == nullptr || filter->kind == plan::Filter::Kind::kTrue) {
    TakeWhole(assignment, route);
  } else {
    const Roaring survivors = PruneSegments(segments.prune_index(), *filter);
    const uint64_t count = survivors.cardinality();
    if (count == segments.size()) {
      TakeWhole(assignment, route);
    } else {
      TakePruned(assignment, survivors, route);
      route.segments_pruned = segments.size() - count;
      route.rows_pruned = segments.rows_total() - segments.RowsOf(survivors);
      route.unavailable = std::make_shared<Roaring>(*table->unavailable & survivors);
    }
  }
  route.snapshot = std::move(snapshot);
  route.table = std::move(table);
  return route;
}

std::vector<RoutedShare> RouteAgain(const CatalogSnapshot& snapshot, const Table& table,
                                    const Roaring& ids, std::span<const uint32_t> excluded,
                                    Roaring& uncovered) {
  std::vector<uint32_t> asked(ids.cardinality());
  ids.toUint32Array(asked.data());
  std::vector<std::shared_ptr<const ServerPart>> parts;
  std::vector<std::vector<uint32_t>> held;
  for (const auto& part : table.parts) {
    if (!snapshot.servers[part->server].alive ||
        std::find(excluded.begin(), excluded.end(), part->server) != excluded.end())
      continue;
    std::vector<uint32_t> positions = PositionsOf(asked, ids, part->held);
    if (positions.empty()) continue;
    parts.push_back(part);
    held.push_back(std::move(positions));
  }
  const std::vector<std::span<const uint32_t>> spans(held.begin(), held.end());
  const ReplicaSpread spread = SpreadOverReplicas(asked.size(), spans, 1);
  std::vector<RoutedShare> shares;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::vector<uint32_t>& taken = spread.taken[0][i];
    if (taken.empty()) continue;
    shares.push_back(
        {parts[i], std::make_shared<Roaring>(IdsAt(asked, taken)), taken.size(), nullptr});
  }
  uncovered = IdsAt(asked, spread.uncovered);
  return shares;
}

}  // namespace trellis::broker
