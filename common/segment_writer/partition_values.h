#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/table_config/indexing_config.h"

namespace trellis::segment_writer {

// The partitions that rows of one column fall into, by the partition functions of Pinot 1.5.1:
// Murmur (and Murmur2, its other name), Murmur3, Modulo, HashCode, ByteArray, BoundedColumnValue.
// A broker prunes by broker/routing/partition_function, which leaves out where versions of Pinot
// differ; here it is this one release whose numbers are written. Not thread-safe.
class PartitionValues {
 public:
  // `config` must outlive the object. Errors: InvalidArgument (no partitions, a function config
  // that does not fit); Unimplemented for functions that are not among these.
  static Result<PartitionValues> Create(const table_config::PartitionConfig& config);

  // `text` is StoredValueText of a value. Errors: InvalidArgument for text that Modulo cannot take.
  Status Add(std::string_view text);

  // As `partitionFunction` spells it.
  std::string_view function_name() const;
  // In the order in which Pinot writes them, which is that of a java.util.HashSet.
  std::vector<int32_t> values() const;
  const table_config::PartitionConfig& config() const { return *config_; }

 private:
  enum class Function : uint8_t { kMurmur, kMurmur3, kModulo, kHashCode, kByteArray, kBounded };
  explicit PartitionValues(const table_config::PartitionConfig& config) : config_(&config) {}
  Status ParseBounded();
  Status ParseMurmur3();
  Result<int32_t> PartitionOf(std::string_view text) const;

  const table_config::PartitionConfig* config_;
  Function function_ = Function::kMurmur;
  std::vector<std::string> bounded_;  // values of partitions 1, 2, ...
  uint32_t seed_ = 0;
  std::vector<int32_t> partitions_;  // distinct, as they were met
  std::vector<bool> seen_;
};

}  // namespace trellis::segment_writer
