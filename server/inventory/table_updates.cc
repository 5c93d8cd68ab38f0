// What watchers are told.
#include <algorithm>
#include <utility>

#include "server/inventory/table_inventory_state.h"

namespace trellis::server {
namespace {

Roaring RangeOf(uint32_t from, uint32_t end) {
  Roaring range;
  range.addRange(from, end);
  return range;
}

wire::TableDescription DescriptionOf(const TableInfo& info) {
  wire::TableDescription description;
  description.schema_json = info.schema_json;
  description.config_json = info.config_json;
  description.refused = info.refused;
  for (const BrokenSegment& segment : info.broken) {
    wire::SegmentEntry& entry = description.broken.emplace_back();
    entry.name = segment.name;
    entry.broken = segment.reason;
  }
  return description;
}

// Segments' facts, turned into columns.
class BatchMaker {
 public:
  explicit BatchMaker(size_t rows) : rows_(rows) {}

  void Set(size_t row, const SegmentFacts& facts) {
    if (facts.start_time_ms && facts.end_time_ms)
      SetZone(batch_.time_ms, row, *facts.start_time_ms, *facts.end_time_ms);
    for (const SegmentFacts::Zone& zone : facts.zones)
      SetZone(ZoneColumnOf(zone.column), row, zone.min, zone.max);
    for (const SegmentFacts::Partition& partition : facts.partitions)
      PartitionColumnOf(partition).partition[row] = partition.partition;
    batch_.names.push_back(facts.name);
    batch_.crcs.push_back(facts.crc);
    batch_.rows.push_back(facts.rows);
  }
  wire::SegmentBatch Take(std::span<const uint32_t> ordinals, std::shared_ptr<const void> owner) {
    batch_.ordinals.assign(ordinals.begin(), ordinals.end());
    batch_.names_owner = std::move(owner);
    return std::move(batch_);
  }

 private:
  void SetZone(wire::ZoneColumn& column, size_t row, int64_t min, int64_t max) {
    column.present.resize(rows_);
    column.min.resize(rows_);
    column.max.resize(rows_);
    column.present[row] = 1;
    column.min[row] = min;
    column.max[row] = max;
  }
  // A table has zones of a few columns: a scan finds one faster than a hash.
  wire::ZoneColumn& ZoneColumnOf(std::string_view name) {
    for (wire::ZoneColumn& column : batch_.zones)
      if (column.column == name) return column;
    batch_.zones.emplace_back().column = name;
    return batch_.zones.back();
  }
  wire::PartitionColumn& PartitionColumnOf(const SegmentFacts::Partition& partition) {
    for (wire::PartitionColumn& column : batch_.partitions) {
      if (column.column == partition.column && column.function == partition.function &&
          column.count == partition.count)
        return column;
    }
    wire::PartitionColumn& column = batch_.partitions.emplace_back();
    column.column = partition.column;
    column.function = partition.function;
    column.count = partition.count;
    column.partition.assign(rows_, wire::PartitionColumn::kUnknown);
    return column;
  }

  size_t rows_;
  wire::SegmentBatch batch_;
};

}  // namespace

std::vector<wire::TableUpdate> TableInventory::UpdatesSince(uint64_t incarnation, uint64_t epoch,
                                                            size_t chunk_segments) const {
  std::shared_ptr<const Snapshot> now;
  wire::TableUpdate first;
  Roaring added;
  bool described = true;
  {
    const auto lock = state_->ReadLock();
    now = state_->current;
    const bool of_now = incarnation == now->table_incarnation;
    if (of_now && epoch == now->table_epoch) return {};
    const auto& journal = state_->journal;
    if (of_now && !journal.empty() && epoch < now->table_epoch &&
        epoch + 1 >= journal.front().epoch) {
      first.base_epoch = epoch;
      described = false;
      const size_t from = epoch + 1 - journal.front().epoch;
      for (size_t i = from; i < journal.size(); ++i) {
        first.dropped |= journal[i].dropped;
        described |= journal[i].description_changed;
      }
      // What came and went in between never travels.
      const uint32_t had = journal[from].ordinals_before;
      first.dropped &= RangeOf(0, had);
      added = now->alive_ordinals & RangeOf(had, now->slots.ordinals_end());
    } else {
      added = now->alive_ordinals;
    }
  }
  first.table = now->info().name;
  first.incarnation = now->table_incarnation;
  first.epoch = now->table_epoch;
  if (described) first.description = DescriptionOf(now->info());

  std::vector<uint32_t> ordinals(added.cardinality());
  added.toUint32Array(ordinals.data());
  std::vector<wire::TableUpdate> updates;
  for (size_t from = 0; from == 0 || from < ordinals.size(); from += chunk_segments) {
    const auto chunk =
        std::span(ordinals).subspan(from, std::min<size_t>(ordinals.size() - from, chunk_segments));
    BatchMaker batch(chunk.size());
    for (size_t row = 0; row < chunk.size(); ++row)
      batch.Set(row, now->slots.Find(chunk[row])->segment.facts);
    wire::TableUpdate& update = updates.emplace_back();
    if (from == 0) {
      update = std::move(first);
    } else {
      update.table = updates.front().table;
      update.incarnation = now->table_incarnation;
      update.epoch = now->table_epoch;
      update.base_epoch = updates.front().base_epoch;
    }
    update.more = from + chunk.size() < ordinals.size();
    update.added = batch.Take(chunk, now);
  }
  return updates;
}

}  // namespace trellis::server
