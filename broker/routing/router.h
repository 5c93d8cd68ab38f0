#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "broker/catalog/catalog.h"

namespace trellis::broker {

// Which server answers for which segments of one query. Keeps the catalog snapshot alive: names and
// targets are views into it.
struct Route {
  std::shared_ptr<const CatalogSnapshot> snapshot;
  std::shared_ptr<const Table> table;
  const Assignment* assignment = nullptr;
  size_t segments_routed = 0;
};

// Takes one of the table's precomputed assignments; `turn` (a counter over queries) picks which.
// Pure.
Route ChooseRoute(std::shared_ptr<const CatalogSnapshot> snapshot,
                  std::shared_ptr<const Table> table, uint64_t turn);

}  // namespace trellis::broker
