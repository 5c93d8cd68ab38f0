#include "broker/catalog/segment_facts.h"

#include <algorithm>

namespace trellis::broker {
namespace {

// Columns that are shorter than the batch say nothing of its later rows.
bool Present(const wire::ZoneColumn& column, size_t row) {
  return row < column.present.size() && row < column.min.size() && row < column.max.size() &&
         column.present[row] != 0;
}
Bounds BoundsOf(const wire::ZoneColumn& column, size_t row) {
  if (!Present(column, row) || column.min[row] > column.max[row]) return {};
  return {column.min[row], column.max[row]};
}
uint32_t RowsOf(const wire::SegmentBatch& batch, size_t row) {
  return static_cast<uint32_t>(
      std::clamp<int64_t>(batch.rows[row], 0, std::numeric_limits<int32_t>::max()));
}
uint32_t PartitionOf(const wire::PartitionColumn& column, size_t row) {
  const uint32_t partition =
      row < column.partition.size() ? column.partition[row] : wire::PartitionColumn::kUnknown;
  return partition < column.count ? partition : wire::PartitionColumn::kUnknown;
}

}  // namespace

int SegmentFacts::ZoneAt(const std::string& column) {
  for (size_t i = 0; i < zones_.size(); ++i) {
    if (zones_[i].column == column) return static_cast<int>(i);
  }
  if (zones_.size() == kZoneColumnsMax) return -1;
  zones_.push_back({column});
  return static_cast<int>(zones_.size() - 1);
}

int SegmentFacts::PartitioningAt(const wire::PartitionColumn& column) {
  if (column.count == 0 || column.count > kPartitionsMax) return -1;
  for (size_t i = 0; i < partitionings_.size(); ++i) {
    const Partitioning& known = partitionings_[i];
    if (known.column == column.column && known.function == column.function &&
        known.count == column.count)
      return static_cast<int>(i);
  }
  if (partitionings_.size() == kPartitioningsMax) return -1;
  partitionings_.push_back({column.column, column.function, column.count});
  return static_cast<int>(partitionings_.size() - 1);
}

SegmentFacts::BoundBatch SegmentFacts::Bind(const wire::SegmentBatch& batch) {
  BoundBatch bound{&batch, {}, {}};
  for (const wire::ZoneColumn& column : batch.zones) bound.zones.push_back(ZoneAt(column.column));
  for (const wire::PartitionColumn& column : batch.partitions)
    bound.partitions.push_back(PartitioningAt(column));
  return bound;
}

void SegmentFacts::Set(uint32_t slot, const BoundBatch& bound, size_t row) {
  const wire::SegmentBatch& batch = *bound.batch;
  crc_.Set(slot, batch.crcs[row]);
  rows_.Set(slot, RowsOf(batch, row));
  if (Present(batch.time_ms, row))
    times_.Set(slot, {batch.time_ms.min[row], batch.time_ms.max[row]});
  for (size_t i = 0; i < bound.zones.size(); ++i) {
    const Bounds bounds = BoundsOf(batch.zones[i], row);
    if (bound.zones[i] >= 0 && bounds.known()) zones_[bound.zones[i]].bounds.Set(slot, bounds);
  }
  for (size_t i = 0; i < bound.partitions.size(); ++i) {
    const uint32_t partition = PartitionOf(batch.partitions[i], row);
    if (bound.partitions[i] >= 0 && partition != wire::PartitionColumn::kUnknown)
      partitionings_[bound.partitions[i]].partition.Set(slot, partition);
  }
}

void SegmentFacts::CopyFrom(const SegmentFacts& other, uint32_t other_slot, uint32_t slot) {
  crc_.Set(slot, other.crc(other_slot));
  rows_.Set(slot, other.rows_.Get(other_slot));
  const Times times = other.times(other_slot);
  if (times.start != kNoTime || times.end != kNoTime) times_.Set(slot, times);
  for (const Zones& zones : other.zones_) {
    const Bounds bounds = zones.bounds.Get(other_slot);
    if (bounds.known()) zones_[ZoneAt(zones.column)].bounds.Set(slot, bounds);
  }
  for (const Partitioning& from : other.partitionings_) {
    const uint32_t partition = from.partition.Get(other_slot);
    if (partition == wire::PartitionColumn::kUnknown) continue;
    const int at = PartitioningAt({from.column, from.function, from.count, {}});
    partitionings_[at].partition.Set(slot, partition);
  }
}

bool SegmentFacts::Covers(uint32_t slot, const BoundBatch& bound, size_t row) const {
  const wire::SegmentBatch& batch = *bound.batch;
  if (crc(slot) != batch.crcs[row] || rows(slot) != RowsOf(batch, row)) return false;
  for (size_t i = 0; i < bound.zones.size(); ++i) {
    if (bound.zones[i] >= 0 && BoundsOf(batch.zones[i], row).known() &&
        !zones_[bound.zones[i]].bounds.Get(slot).known())
      return false;
  }
  for (size_t i = 0; i < bound.partitions.size(); ++i) {
    constexpr uint32_t kUnknown = wire::PartitionColumn::kUnknown;
    if (bound.partitions[i] >= 0 && PartitionOf(batch.partitions[i], row) != kUnknown &&
        partitionings_[bound.partitions[i]].partition.Get(slot) == kUnknown)
      return false;
  }
  return true;
}

bool SegmentFacts::SameData(uint32_t a, uint32_t b) const {
  return crc(a) == crc(b) && rows(a) == rows(b);
}

size_t SegmentFacts::memory_bytes() const {
  size_t bytes = crc_.memory_bytes() + rows_.memory_bytes() + times_.memory_bytes();
  for (const Zones& zones : zones_) bytes += zones.bounds.memory_bytes();
  for (const Partitioning& p : partitionings_) bytes += p.partition.memory_bytes();
  return bytes;
}

}  // namespace trellis::broker
