#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "broker/catalog/paged_column.h"
#include "common/wire/inventory_messages.h"

namespace trellis::broker {

// Smallest and largest of something; nothing is known where min > max.
struct Bounds {
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = std::numeric_limits<int64_t>::min();
  bool known() const { return min <= max; }
};

// What servers have told of segments, column by column, by slot (segment_slots.h). Facts of a slot
// never change. Copies share memory and stay as they are (paged_column.h).
class SegmentFacts {
 public:
  // Columns that hostile servers cannot make more of; facts of further ones are not kept.
  static constexpr size_t kZoneColumnsMax = 32;
  static constexpr size_t kPartitioningsMax = 32;
  static constexpr uint32_t kPartitionsMax = 65'536;  // of one partitioning
  static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

  struct Times {
    int64_t start = kNoTime;
    int64_t end = kNoTime;
  };
  struct Zones {
    std::string column;
    PagedColumn<Bounds> bounds{Bounds{}};
  };
  struct Partitioning {
    std::string column;
    std::string function;
    uint32_t count = 0;
    PagedColumn<uint32_t> partition{wire::PartitionColumn::kUnknown};
  };

  // A batch whose columns have been found among (or added to) these.
  struct BoundBatch {
    const wire::SegmentBatch* batch;
    std::vector<int> zones;       // beside batch->zones: position here, -1 = not kept
    std::vector<int> partitions;  // beside batch->partitions
  };
  BoundBatch Bind(const wire::SegmentBatch& batch);
  // REQUIRES: the slot has no facts yet.
  void Set(uint32_t slot, const BoundBatch& batch, size_t row);
  void CopyFrom(const SegmentFacts& other, uint32_t other_slot, uint32_t slot);

  // True if the slot's facts are of the same data (crc and rows) as the row's, and say no less.
  bool Covers(uint32_t slot, const BoundBatch& batch, size_t row) const;
  bool SameData(uint32_t a, uint32_t b) const;

  uint64_t crc(uint32_t slot) const { return crc_.Get(slot); }
  // At most what Pinot's segments can have: an untrue count cannot overflow a sum.
  int64_t rows(uint32_t slot) const { return rows_.Get(slot); }
  Times times(uint32_t slot) const { return times_.Get(slot); }
  const std::vector<Zones>& zones() const { return zones_; }
  const std::vector<Partitioning>& partitionings() const { return partitionings_; }
  size_t memory_bytes() const;

 private:
  int ZoneAt(const std::string& column);
  int PartitioningAt(const wire::PartitionColumn& column);

  PagedColumn<uint64_t> crc_{0};
  PagedColumn<uint32_t> rows_{0};
  PagedColumn<Times> times_{Times{}};
  std::vector<Zones> zones_;
  std::vector<Partitioning> partitionings_;
};

}  // namespace trellis::broker
