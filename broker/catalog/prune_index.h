#pragma once

#include <cstdint>
#include <memory>
#include <roaring/roaring.hh>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::broker {

// Finds a table's segments by what their servers have told of them. Answers are bitmaps of segment
// ids (table.h) that hold at least every segment that may have a row: segments of which nothing is
// known are always among them. Immutable.
class PruneIndex {
 public:
  virtual ~PruneIndex() = default;

  // Columns with smallest and largest order keys (types/order_key.h).
  virtual bool HasZones(std::string_view column) const = 0;
  // Segments whose [min, max] meets [low, high]. REQUIRES: HasZones(column).
  virtual Roaring InRange(std::string_view column, int64_t low, int64_t high) const = 0;

  // One way a column is partitioned; segments of one table may differ in it.
  struct Partitioning {
    std::string function;  // Pinot's
    uint32_t count = 0;
    std::vector<Roaring> ids;  // by partition
  };
  virtual const std::vector<Partitioning>& Partitionings(std::string_view column) const = 0;
  // Segments without a known partition of the column.
  virtual const Roaring& Unpartitioned(std::string_view column) const = 0;
  virtual const Roaring& all() const = 0;
  virtual size_t memory_bytes() const = 0;
};

}  // namespace trellis::broker
