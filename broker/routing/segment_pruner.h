#pragma once

#include "broker/catalog/prune_index.h"
#include "common/plan/filter.h"

namespace trellis::broker {

// The segments that may have a row for which `filter` is TRUE, by the index's zones and partitions.
// Never fails: what it cannot judge (a function of a column, NOT over anything but a predicate, a
// type without order keys) it keeps. Costs a few bitmap operations a predicate, whatever the number
// of segments; an IN list is judged by its hull and its partitions.
Roaring PruneSegments(const PruneIndex& index, const plan::Filter& filter);

}  // namespace trellis::broker
