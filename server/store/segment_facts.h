#pragma once

#include <string>
#include <vector>

#include "common/types/schema.h"
#include "server/inventory/table_inventory.h"

namespace trellis::server {

// Which columns of a table brokers prune by, as its configuration says.
struct ZoneColumns {
  std::string time_column;                // empty = each segment's own
  std::vector<std::string> sort_columns;  // empty = those a segment says it is sorted by
  bool operator==(const ZoneColumns&) const = default;
};

// What brokers are told of a segment. A column has a zone where its type is the table's own and its
// smallest and largest value are known; a time column without them takes the segment's start and
// end time where these are in its unit. A partition too needs the table's own type.
SegmentFacts FactsOf(const segment::SegmentMetadata& metadata, const ZoneColumns& columns,
                     const Schema& schema);

// Whether both schemas give the same zones and partitions to every segment: the facts made with one
// hold for the other.
bool SameColumnTypes(const Schema& a, const Schema& b);

}  // namespace trellis::server
