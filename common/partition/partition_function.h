#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/types/value.h"

namespace trellis::partition {

// A partition function of Pinot 1.5.1: Murmur (and Murmur2, its other name), Murmur3 (variant
// x86_32), Modulo, HashCode, ByteArray, BoundedColumnValue. Owns what it needs; immutable, and so
// safe to share between threads.
class PartitionFunction {
 public:
  // A key of `functionConfig` and its value.
  using Setting = std::pair<std::string, std::string>;

  // Letters' case in `name` is ignored. Errors: InvalidArgument (a count that is not in 1 to
  // INT32_MAX, settings that do not fit the function); Unimplemented for other functions, other
  // variants, and columnValues that are not ASCII.
  static Result<PartitionFunction> Create(std::string_view name, int64_t count,
                                          std::span<const Setting> settings = {});

  // As `partitionFunction` of segment metadata spells it.
  std::string_view name() const;
  uint32_t count() const { return count_; }

  // The partition, below count(), that Pinot 1.5.1 writes for a value whose text is `text`
  // (numbers in decimal). Errors: InvalidArgument for text that Modulo cannot take, and for
  // invalid UTF-8 in HashCode.
  Result<uint32_t> PartitionOf(std::string_view text) const;

  // The same where all versions of Pinot agree on it, to prune by. nullopt where they do not or it
  // is not known, and a row with this value may be in any partition: other types than INT, LONG
  // and STRING; NULL and arrays; negative numbers in Modulo, and texts; numbers in HashCode and
  // ByteArray; the hash that has no absolute value.
  std::optional<uint32_t> CertainPartitionOf(const Value& value) const;

 private:
  enum class Kind : uint8_t { kMurmur, kMurmur3, kModulo, kHashCode, kByteArray, kBounded };
  PartitionFunction(Kind kind, uint32_t count) : kind_(kind), count_(count) {}
  Status ParseMurmur3(std::span<const Setting> settings);
  Status ParseBounded(std::span<const Setting> settings);
  std::optional<int32_t> JavaHash(std::string_view text) const;
  uint32_t BoundedPartition(std::string_view text) const;

  Kind kind_;
  uint32_t count_;
  uint32_t seed_ = 0;
  std::vector<std::string> bounded_;  // in lower case, values of partitions 1, 2, ...
};

}  // namespace trellis::partition
