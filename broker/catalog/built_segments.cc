#include "broker/catalog/built_segments.h"

#include <algorithm>

namespace trellis::broker {
namespace {

size_t BytesOf(const Roaring& bitmap) { return sizeof(bitmap) + bitmap.getSizeInBytes(); }

// Ids by partition of one way to partition, those of `disputed` left out.
PruneIndex::Partitioning Invert(const SegmentFacts::Partitioning& facts,
                                const std::vector<uint32_t>& slots, const Roaring& disputed,
                                Roaring& found) {
  PruneIndex::Partitioning way{facts.function, facts.count, {}};
  std::vector<std::vector<uint32_t>> ids(facts.count);
  for (uint32_t id = 0; id < slots.size(); ++id) {
    const uint32_t partition = facts.partition.Get(slots[id]);
    if (partition < facts.count && !disputed.contains(id)) ids[partition].push_back(id);
  }
  for (const auto& of_partition : ids) {
    way.ids.emplace_back(of_partition.size(), of_partition.data());
    way.ids.back().runOptimize();
    way.ids.back().shrinkToFit();
    found |= way.ids.back();
  }
  return way;
}

}  // namespace

BuiltPruneIndex::BuiltPruneIndex(const SegmentFacts& facts, const std::vector<uint32_t>& slots,
                                 const Roaring& disputed) {
  all_.addRange(0, slots.size());
  for (const SegmentFacts::Zones& zones : facts.zones()) {
    ZoneIndex index(zones.bounds, slots, disputed);
    if (!index.empty()) zones_.emplace(zones.column, std::move(index));
  }
  for (const SegmentFacts::Partitioning& partitioning : facts.partitionings()) {
    Roaring found;
    Partitioning way = Invert(partitioning, slots, disputed, found);
    if (found.isEmpty()) continue;
    Partitioned& column =
        partitioned_.try_emplace(partitioning.column, Partitioned{{}, all_}).first->second;
    column.unpartitioned -= found;
    column.ways.push_back(std::move(way));
  }
}

Roaring BuiltPruneIndex::InRange(std::string_view column, int64_t low, int64_t high) const {
  const auto found = zones_.find(column);
  return found == zones_.end() ? all_ : found->second.InRange(low, high);
}

const std::vector<PruneIndex::Partitioning>& BuiltPruneIndex::Partitionings(
    std::string_view column) const {
  static const std::vector<Partitioning> kNone;
  const auto found = partitioned_.find(column);
  return found == partitioned_.end() ? kNone : found->second.ways;
}

const Roaring& BuiltPruneIndex::Unpartitioned(std::string_view column) const {
  const auto found = partitioned_.find(column);
  return found == partitioned_.end() ? all_ : found->second.unpartitioned;
}

size_t BuiltPruneIndex::memory_bytes() const {
  size_t bytes = BytesOf(all_);
  for (const auto& [column, zones] : zones_) bytes += zones.memory_bytes();
  for (const auto& [column, partitioned] : partitioned_) {
    bytes += BytesOf(partitioned.unpartitioned);
    for (const Partitioning& way : partitioned.ways) {
      for (const Roaring& ids : way.ids) bytes += BytesOf(ids);
    }
  }
  return bytes;
}

BuiltSegments::BuiltSegments(const SegmentSlots& writer, std::vector<uint32_t> slots,
                             const Roaring& disputed)
    : identity_(writer.identity()),
      names_(writer.names()),
      facts_(writer.facts()),
      slots_(std::move(slots)),
      prune_index_(facts_, slots_, disputed),
      by_name_(0, NameHash{this}, NameEqual{this}) {
  for (const uint32_t slot : slots_) rows_total_ += facts_.rows(slot);
}

std::optional<int64_t> BuiltSegments::start_time_ms(uint32_t id) const {
  const int64_t time = facts_.times(slots_[id]).start;
  return time == SegmentFacts::kNoTime ? std::nullopt : std::optional(time);
}

std::optional<int64_t> BuiltSegments::end_time_ms(uint32_t id) const {
  const int64_t time = facts_.times(slots_[id]).end;
  return time == SegmentFacts::kNoTime ? std::nullopt : std::optional(time);
}

int64_t BuiltSegments::RowsOf(const Roaring& ids) const {
  const auto sum = [this](const Roaring& of) {
    int64_t rows_sum = 0;
    for (const uint32_t id : of) rows_sum += rows(id);
    return rows_sum;
  };
  if (ids.cardinality() * 2 <= size()) return sum(ids);
  return rows_total_ - sum(prune_index_.all() - ids);
}

std::optional<uint32_t> BuiltSegments::Find(std::string_view name) const {
  std::call_once(by_name_made_, [this] {
    by_name_.reserve(size());
    for (uint32_t id = 0; id < size(); ++id) by_name_.insert(id);
  });
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(*found);
}

std::optional<uint32_t> BuiltSegments::FindOf(const TableSegments& other, uint32_t id) const {
  if (&other == this) return id;
  const auto* built = dynamic_cast<const BuiltSegments*>(&other);
  if (built == nullptr || built->identity_ != identity_) return Find(other.name(id));
  const uint32_t slot = built->slots_[id];
  if (slot >= names_.size()) return Find(other.name(id));  // told of after this was built
  const auto before = [this](uint32_t a, uint32_t b) { return names_.Compare(a, b) < 0; };
  // Ids shift little between neighbouring snapshots: look close by first, then wider.
  auto low = slots_.begin();
  auto high = slots_.end();
  for (size_t width = 4; width < slots_.size(); width *= 16) {
    const size_t from = std::min<size_t>(id - std::min<size_t>(id, width), slots_.size());
    const size_t to = std::min<size_t>(size_t{id} + width, slots_.size());
    if (from != 0 && !before(slots_[from - 1], slot)) continue;
    if (to != slots_.size() && before(slots_[to], slot)) continue;
    low = slots_.begin() + static_cast<ptrdiff_t>(from);
    high = to == slots_.size() ? slots_.end() : slots_.begin() + static_cast<ptrdiff_t>(to) + 1;
    break;
  }
  const auto found = std::lower_bound(low, high, slot, before);
  if (found == slots_.end() || names_.Compare(*found, slot) != 0) return std::nullopt;
  return static_cast<uint32_t>(found - slots_.begin());
}

size_t BuiltSegments::memory_bytes() const {
  return slots_.capacity() * sizeof(uint32_t) + prune_index_.memory_bytes();
}

}  // namespace trellis::broker
