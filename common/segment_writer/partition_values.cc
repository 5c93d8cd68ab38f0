#include "common/segment_writer/partition_values.h"

#include <algorithm>

namespace trellis::segment_writer {

Result<PartitionValues> PartitionValues::Create(const table_config::PartitionConfig& config) {
  TRELLIS_ASSIGN_OR_RETURN(partition::PartitionFunction function,
                           partition::PartitionFunction::Create(config.function, config.partitions,
                                                                config.function_config));
  return PartitionValues(std::move(function));
}

Status PartitionValues::Add(std::string_view text) {
  TRELLIS_ASSIGN_OR_RETURN(const uint32_t partition, function_.PartitionOf(text));
  if (partition >= seen_.size()) seen_.resize(partition + size_t{1});
  if (!seen_[partition]) partitions_.push_back(static_cast<int32_t>(partition));
  seen_[partition] = true;
  return {};
}

std::vector<int32_t> PartitionValues::values() const {
  // By bucket of a table that doubles when it is three quarters full; within one as they came.
  size_t buckets = 16;
  while (partitions_.size() * 4 > buckets * 3) buckets *= 2;
  const auto bucket = [&](int32_t partition) {
    const auto number = static_cast<uint32_t>(partition);
    return (number ^ (number >> 16)) & (buckets - 1);
  };
  std::vector<int32_t> ordered = partitions_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](int32_t a, int32_t b) { return bucket(a) < bucket(b); });
  return ordered;
}

}  // namespace trellis::segment_writer
