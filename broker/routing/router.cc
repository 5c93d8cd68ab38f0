#include "broker/routing/router.h"

namespace trellis::broker {

Route ChooseRoute(std::shared_ptr<const CatalogSnapshot> snapshot,
                  std::shared_ptr<const Table> table, uint64_t turn) {
  Route route;
  route.assignment = &table->assignments[turn % table->assignments.size()];
  for (const ServerShare& share : route.assignment->shares)
    route.segments_routed += share.segments.size();
  route.snapshot = std::move(snapshot);
  route.table = std::move(table);
  return route;
}

}  // namespace trellis::broker
