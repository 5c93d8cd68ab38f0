#include "common/segment_writer/partition_values.h"

#include <catch2/catch.hpp>

namespace trellis::segment_writer {
namespace {

int32_t PartitionOf(table_config::PartitionConfig config, std::string_view text) {
  auto values = PartitionValues::Create(config);
  REQUIRE(values.ok());
  REQUIRE(values->Add(text).ok());
  return values->values().at(0);
}

}  // namespace

// Asked of PartitionFunctionFactory of Pinot 1.5.1, 1000 partitions.
TEST_CASE("partitions are those of Pinot's functions") {
  const char* texts[] = {"",         "a",  "station 7",   "Zürich",
                         "日の出 🚀", "-1", "-2147483648", "12345678901"};
  struct Row {
    const char* function;
    int32_t partitions[8];
  };
  const Row rows[] = {{"Murmur", {681, 524, 216, 833, 719, 27, 896, 980}},
                      {"murmur2", {681, 524, 216, 833, 719, 27, 896, 980}},
                      {"Murmur3", {0, 850, 667, 1, 934, 458, 69, 904}},
                      {"HashCode", {0, 97, 469, 162, 494, 444, 378, 30}},
                      {"ByteArray", {1, 128, 322, 386, 734, 405, 97, 749}}};
  for (const Row& row : rows) {
    for (size_t i = 0; i < 8; ++i) {
      INFO(row.function << " of '" << texts[i] << "'");
      CHECK(PartitionOf({row.function, 1000, {}}, texts[i]) == row.partitions[i]);
    }
  }
  CHECK(PartitionOf({"Murmur3", 1000, {{"seed", "9001"}}}, "station 7") == 42);
  const std::pair<const char*, int32_t> numbers[] = {
      {"-7", 3}, {"7", 2}, {"-2147483649", 1}, {"9223372036854775807", 2}};
  for (const auto& [text, partition] : numbers)
    CHECK(PartitionOf({"Modulo", 5, {}}, text) == partition);
  const table_config::PartitionConfig bounded{
      "BoundedColumnValue", 3, {{"columnValues", "one|two"}, {"columnValuesDelimiter", "|"}}};
  CHECK(PartitionOf(bounded, "TWO") == 2);
  CHECK(PartitionOf(bounded, "three") == 0);
}

TEST_CASE("partitions are listed in the order of a HashSet") {
  // Java: a HashSet of 100, 3, 17, 1, 999, 33, 16, added in this order.
  const table_config::PartitionConfig config{"Modulo", 100'000, {}};
  auto values = PartitionValues::Create(config);
  REQUIRE(values.ok());
  for (const char* text : {"100", "3", "17", "1", "999", "33", "16", "3"})
    REQUIRE(values->Add(text).ok());
  CHECK(values->values() == std::vector<int32_t>{16, 17, 1, 33, 3, 100, 999});
}

TEST_CASE("functions that cannot be meant are refused") {
  using Config = table_config::PartitionConfig;
  const Config bad[] = {
      {"Murmur", 0, {}},
      {"Murmur3", 2, {{"seed", "x"}}},
      {"Murmur3", 2, {{"variant", "x64_32"}}},
      {"BoundedColumnValue", 2, {}},
      {"BoundedColumnValue", 5, {{"columnValues", "a|b"}, {"columnValuesDelimiter", "|"}}},
      {"FNV", 2, {}}};
  for (const Config& config : bad) CHECK_FALSE(PartitionValues::Create(config).ok());
  const Config modulo{"Modulo", 2, {}};
  auto values = PartitionValues::Create(modulo);
  CHECK_FALSE(values->Add("seven").ok());
}

}  // namespace trellis::segment_writer
