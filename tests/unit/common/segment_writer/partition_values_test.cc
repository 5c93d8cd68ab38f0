#include "common/segment_writer/partition_values.h"

#include <catch2/catch.hpp>

namespace trellis::segment_writer {

TEST_CASE("partitions are listed in the order of a HashSet") {
  // Java: a HashSet of 100, 3, 17, 1, 999, 33, 16, added in this order.
  const table_config::PartitionConfig config{"Modulo", 100'000, {}};
  auto values = PartitionValues::Create(config);
  REQUIRE(values.ok());
  for (const char* text : {"100", "3", "17", "1", "999", "33", "16", "3"})
    REQUIRE(values->Add(text).ok());
  CHECK(values->values() == std::vector<int32_t>{16, 17, 1, 33, 3, 100, 999});
}

TEST_CASE("what the function cannot take is refused") {
  CHECK_FALSE(PartitionValues::Create({"FNV", 2, {}}).ok());
  CHECK_FALSE(PartitionValues::Create({"Murmur", 0, {}}).ok());
  CHECK_FALSE(PartitionValues::Create({"Murmur3", 2, {{"seed", "x"}}}).ok());
  auto values = PartitionValues::Create({"Modulo", 2, {}});
  REQUIRE(values.ok());
  CHECK_FALSE(values->Add("seven").ok());
  CHECK(values->values().empty());
}

}  // namespace trellis::segment_writer
