#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/aggregate/aggregate_function.h"
#include "common/base/string_hash.h"
#include "common/block/block.h"

namespace trellis {

// Groups by key values, with running aggregates beside each: built by the lanes of a leaf, merged
// there, sent as blocks (key columns, then one state column an aggregate) and merged again in the
// broker. Also serves DISTINCT (no aggregates) and plain aggregation (no keys: one group).
//
// Keys compare by the bits of their values; under null handling a null is a key of its own. Not
// thread-safe.
class GroupTable {
 public:
  static constexpr uint32_t kNoGroup = UINT32_MAX;

  // New keys beyond `groups_max` are dropped and `limit_reached` is set; known keys go on.
  GroupTable(std::vector<ValueType> key_types,
             std::vector<std::shared_ptr<const aggregate::AggregateFunction>> functions,
             bool null_handling, size_t groups_max);

  size_t size() const { return groups_; }
  bool limit_reached() const { return limit_reached_; }

  // Finds or adds the group of each row of the single-value key vectors; kNoGroup for dropped ones.
  void FindGroups(std::span<const ColumnVector* const> keys, size_t rows,
                  std::vector<uint32_t>& groups);
  // The only group of a table without keys.
  void EnsureSingleGroup();
  // Makes states of all aggregates cover the groups found so far; call before adding to states.
  void ResizeStates();
  aggregate::AggregateStates& states(size_t aggregate) { return *states_[aggregate]; }

  // Adds a block as Export writes it. Errors: Corrupt when its columns do not fit.
  Status Merge(const Block& block);
  Block Export() const;
  // Key columns, then one column of final values an aggregate.
  Result<Block> Finish() const;
  size_t memory_bytes() const;

 private:
  // The row's key as bytes: equal for equal keys only. Valid until the next call, or as long as the
  // vectors.
  std::string_view KeyOf(std::span<const ColumnVector* const> keys, size_t row);
  std::vector<ValueType> key_types_;
  std::vector<std::shared_ptr<const aggregate::AggregateFunction>> functions_;
  bool null_handling_;
  size_t groups_max_;
  size_t groups_ = 0;
  bool limit_reached_ = false;
  std::vector<ColumnVector> keys_;  // one row a group
  std::vector<std::unique_ptr<aggregate::AggregateStates>> states_;
  absl::flat_hash_map<std::string_view, uint32_t, StringHash, StringEqual>
      index_;  // encoded key -> group; bytes in key_bytes_
  Arena key_bytes_;
  std::string encoded_;
  std::vector<uint32_t> new_rows_;  // of one FindGroups
};

}  // namespace trellis
