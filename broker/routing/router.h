#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "broker/catalog/catalog.h"
#include "common/plan/filter.h"

namespace trellis::broker {

// One server's part of a query.
struct RoutedShare {
  std::shared_ptr<const ServerPart> part;
  std::shared_ptr<const Roaring> ids;  // never null; the share's own where nothing was pruned
  uint64_t count = 0;
  // The lists of exactly these ids, when they are one of the snapshot's own shares: encoded once
  // for all queries. Else null.
  std::shared_ptr<ListCache> lists;
};

// Which server answers for which segments of one query. Keeps the catalog snapshot alive.
struct Route {
  std::shared_ptr<const CatalogSnapshot> snapshot;
  std::shared_ptr<const Table> table;
  std::vector<RoutedShare> shares;
  std::shared_ptr<const Roaring> unavailable;  // ids the query needs and no server can serve
  uint64_t segments_routed = 0;
  uint64_t segments_pruned = 0;
  int64_t rows_pruned = 0;
};

// Prunes the table's segments by `filter` (null: no pruning) and spreads the others over servers as
// one of the table's precomputed assignments does; `turn` (a counter over queries) picks which.
// Without a filter costs the same for ten segments and a million. Pure.
Route ChooseRoute(std::shared_ptr<const CatalogSnapshot> snapshot,
                  std::shared_ptr<const Table> table, const plan::Filter* filter, uint64_t turn);

// Spreads `ids` of a table over its servers that are alive in `snapshot` and not among `excluded`:
// for retries and hedges. What no server can take is left in `uncovered`. Pure.
std::vector<RoutedShare> RouteAgain(const CatalogSnapshot& snapshot, const Table& table,
                                    const Roaring& ids, std::span<const uint32_t> excluded,
                                    Roaring& uncovered);

}  // namespace trellis::broker
