#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/partition/partition_function.h"
#include "common/table_config/indexing_config.h"

namespace trellis::segment_writer {

// The partitions that rows of one column fall into. Not thread-safe.
class PartitionValues {
 public:
  // Errors: of partition::PartitionFunction::Create.
  static Result<PartitionValues> Create(const table_config::PartitionConfig& config);

  // `text` is StoredValueText of a value. Errors: of PartitionFunction::PartitionOf.
  Status Add(std::string_view text);

  const partition::PartitionFunction& function() const { return function_; }
  // In the order in which Pinot writes them, which is that of a java.util.HashSet.
  std::vector<int32_t> values() const;

 private:
  explicit PartitionValues(partition::PartitionFunction function)
      : function_(std::move(function)) {}

  partition::PartitionFunction function_;
  std::vector<int32_t> partitions_;  // distinct, as they were met
  std::vector<bool> seen_;
};

}  // namespace trellis::segment_writer
