#pragma once

#include <absl/container/flat_hash_set.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "broker/catalog/segment_slots.h"
#include "broker/catalog/table.h"
#include "broker/catalog/zone_index.h"
#include "common/base/string_hash.h"

namespace trellis::broker {

// Zones and partitions of the segments in `slots`. Immutable.
class BuiltPruneIndex : public PruneIndex {
 public:
  // `slots` outlives this.
  BuiltPruneIndex(const SegmentFacts& facts, const std::vector<uint32_t>& slots,
                  const Roaring& disputed);

  bool HasZones(std::string_view column) const override { return zones_.contains(column); }
  Roaring InRange(std::string_view column, int64_t low, int64_t high) const override;
  const std::vector<Partitioning>& Partitionings(std::string_view column) const override;
  const Roaring& Unpartitioned(std::string_view column) const override;
  const Roaring& all() const override { return all_; }
  size_t memory_bytes() const override;

 private:
  struct Partitioned {
    std::vector<Partitioning> ways;
    Roaring unpartitioned;
  };
  Roaring all_;
  std::map<std::string, ZoneIndex, std::less<>> zones_;
  std::map<std::string, Partitioned, std::less<>> partitioned_;
};

// A table's segments as a writer had them at one moment; shares the memory of names and facts with
// it. Immutable.
class BuiltSegments : public TableSegments {
 public:
  BuiltSegments(const SegmentSlots& writer, std::vector<uint32_t> slots, const Roaring& disputed);

  size_t size() const override { return slots_.size(); }
  std::string_view name(uint32_t id) const override { return names_.name(slots_[id]); }
  int64_t rows(uint32_t id) const override { return facts_.rows(slots_[id]); }
  std::optional<int64_t> start_time_ms(uint32_t id) const override;
  std::optional<int64_t> end_time_ms(uint32_t id) const override;
  int64_t rows_total() const override { return rows_total_; }
  int64_t RowsOf(const Roaring& ids) const override;
  std::optional<uint32_t> Find(std::string_view name) const override;
  std::optional<uint32_t> FindOf(const TableSegments& other, uint32_t id) const override;
  const PruneIndex& prune_index() const override { return prune_index_; }
  const segment_names::NameView& names() const override { return names_; }
  const std::vector<uint32_t>& name_indexes() const override { return slots_; }
  // Names and facts left out: the writer counts them.
  size_t memory_bytes() const;

 private:
  struct NameHash {
    using is_transparent = void;
    const BuiltSegments* segments;
    size_t operator()(uint32_t id) const { return StringHash()(segments->name(id)); }
    size_t operator()(std::string_view name) const { return StringHash()(name); }
  };
  struct NameEqual {
    using is_transparent = void;
    const BuiltSegments* segments;
    std::string_view Text(uint32_t id) const { return segments->name(id); }
    std::string_view Text(std::string_view name) const { return name; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return Text(a) == Text(b);
    }
  };

  std::shared_ptr<const void> identity_;  // of the writer: one has its slots in common
  segment_names::NameView names_;
  SegmentFacts facts_;
  std::vector<uint32_t> slots_;  // by id
  int64_t rows_total_ = 0;
  BuiltPruneIndex prune_index_;
  mutable std::once_flag by_name_made_;
  mutable absl::flat_hash_set<uint32_t, NameHash, NameEqual> by_name_;
};

}  // namespace trellis::broker
