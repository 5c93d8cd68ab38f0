#include "common/partition/partition_function.h"

#include <catch2/catch.hpp>

namespace trellis::partition {
namespace {

using Setting = PartitionFunction::Setting;
using Settings = std::vector<Setting>;

PartitionFunction Known(std::string_view name, int64_t count, const Settings& settings = {}) {
  auto function = PartitionFunction::Create(name, count, settings);
  REQUIRE(function.ok());
  return *function;
}

std::optional<uint32_t> Certain(std::string_view name, int64_t count, const Value& value) {
  return Known(name, count).CertainPartitionOf(value);
}

struct Row {
  const char* function;
  std::vector<uint32_t> partitions;  // of 1000
};

}  // namespace

// Asked of PartitionFunctionFactory of Pinot 1.5.1, 1000 partitions.
TEST_CASE("partitions are those of Pinot's functions") {
  const char* texts[] = {"",
                         "a",
                         "station 7",
                         "Zürich",
                         "日の出 🚀",
                         "-1",
                         "-2147483648",
                         "12345678901",
                         "é",
                         "\xEE\x80\x80",
                         "🚀",
                         "polygenelubricants",
                         "21",
                         "-7"};
  const Row rows[] = {
      {"Murmur", {681, 524, 216, 833, 719, 27, 896, 980, 271, 339, 625, 466, 340, 211}},
      {"murmur2", {681, 524, 216, 833, 719, 27, 896, 980, 271, 339, 625, 466, 340, 211}},
      {"Murmur3", {0, 850, 667, 1, 934, 458, 69, 904, 495, 826, 269, 400, 426, 564}},
      {"HashCode", {0, 97, 469, 162, 494, 444, 378, 30, 233, 344, 27, 0, 599, 450}},
      {"ByteArray", {1, 128, 322, 386, 734, 405, 97, 749, 17, 397, 358, 777, 560, 411}}};
  for (const Row& row : rows) {
    const PartitionFunction function = Known(row.function, 1000);
    REQUIRE(row.partitions.size() == std::size(texts));
    for (size_t i = 0; i < std::size(texts); ++i) {
      INFO(row.function << " of '" << texts[i] << "'");
      CHECK(*function.PartitionOf(texts[i]) == row.partitions[i]);
      // To prune by, all of it but what versions do not agree on.
      const auto certain = function.CertainPartitionOf(Value::String(texts[i]));
      if (row.function == std::string_view("HashCode") && i == 11) {
        CHECK_FALSE(certain);
      } else {
        CHECK(certain == row.partitions[i]);
      }
    }
  }
  CHECK(*Known("Murmur3", 1000, {{"seed", "9001"}}).PartitionOf("station 7") == 42);
  CHECK(*Known("Murmur3", 1000, {{"seed", ""}, {"variant", "x86_32"}}).PartitionOf("a") == 850);
}

TEST_CASE("Modulo is the remainder of a number") {
  const PartitionFunction modulo = Known("modulo", 5);
  // Asked of Pinot 1.5.1.
  const std::pair<const char*, uint32_t> numbers[] = {
      {"-7", 3}, {"7", 2}, {"-5", 0}, {"-2147483649", 1}, {"9223372036854775807", 2}, {"+7", 2}};
  for (const auto& [text, partition] : numbers) CHECK(*modulo.PartitionOf(text) == partition);
  for (const char* text : {"seven", " 7", "7.0", "", "9223372036854775808"})
    CHECK_FALSE(modulo.PartitionOf(text).ok());
  CHECK(Certain("Modulo", 7, Value::Int(23)) == 2u);
  CHECK(Certain("MODULO", 7, Value::Long(int64_t{1} << 40)) == (uint64_t{1} << 40) % 7);
  CHECK(Certain("Modulo", 7, Value::Int(0)) == 0u);
  CHECK_FALSE(Certain("Modulo", 7, Value::Int(-1)));
  CHECK_FALSE(Certain("Modulo", 7, Value::String("23")));
}

TEST_CASE("numbers are hashed as their text") {
  for (const char* function : {"Murmur", "Murmur3"}) {
    const uint32_t of_text = *Known(function, 1000).PartitionOf("-7");
    CHECK(Certain(function, 1000, Value::Int(-7)) == of_text);
    CHECK(Certain(function, 1000, Value::Long(-7)) == of_text);
  }
  // By old versions of Pinot not.
  CHECK_FALSE(Certain("HashCode", 1000, Value::Int(5)));
  CHECK_FALSE(Certain("ByteArray", 1000, Value::Long(5)));
}

TEST_CASE("bounded values are found whatever their letters' case") {
  // Asked of Pinot 1.5.1.
  const Settings settings = {{"columnValues", "kiss|,b|"}, {"columnValuesDelimiter", "|,"}};
  const PartitionFunction bounded = Known("boundedcolumnvalue", 3, settings);
  for (const char* text : {"kiss", "KISS", "\u212Aiss", "k\u0131ss", "k\u0130ss", "ki\u017Fs"})
    CHECK(*bounded.PartitionOf(text) == 1);
  CHECK(*bounded.PartitionOf("B") == 2);
  for (const char* text : {"x", "", "kis\u00E9", "\xC4", "kiss "})
    CHECK(*bounded.PartitionOf(text) == 0);
  CHECK(bounded.CertainPartitionOf(Value::String("b")) == 2u);
}

TEST_CASE("functions that cannot be meant are refused") {
  const auto code = [](std::string_view name, int64_t count, const Settings& settings) {
    return PartitionFunction::Create(name, count, settings).status().code();
  };
  const Settings two = {{"columnValues", "a|b"}, {"columnValuesDelimiter", "|"}};
  CHECK(code("Murmur", 0, {}) == StatusCode::kInvalidArgument);
  CHECK(code("Murmur", -1, {}) == StatusCode::kInvalidArgument);
  CHECK(code("Murmur", UINT32_MAX, {}) == StatusCode::kInvalidArgument);
  CHECK(code("Murmur3", 2, {{"seed", "x"}}) == StatusCode::kInvalidArgument);
  CHECK(code("Murmur3", 2, {{"variant", "x64_32"}}) == StatusCode::kUnimplemented);
  CHECK(code("BoundedColumnValue", 2, {}) == StatusCode::kInvalidArgument);
  CHECK(code("BoundedColumnValue", 5, two) == StatusCode::kInvalidArgument);
  CHECK(
      code("BoundedColumnValue", 2, {{"columnValues", "Zürich"}, {"columnValuesDelimiter", "|"}}) ==
      StatusCode::kUnimplemented);
  for (const char* name : {"Fnv", "", "Custom", "Murmur4"})
    CHECK(code(name, 8, {}) == StatusCode::kUnimplemented);
  CHECK_FALSE(Known("HashCode", 8).PartitionOf("\xC3").ok());
}

TEST_CASE("functions have the names that metadata gives them") {
  for (const char* name : {"Murmur", "Murmur3", "Modulo", "HashCode", "ByteArray"}) {
    CHECK(Known(name, 8).name() == name);
    CHECK(Known(name, 8).count() == 8);
  }
  CHECK(Known("MURMUR2", 8).name() == "Murmur");
  CHECK(Known("BOUNDEDCOLUMNVALUE", 2, {{"columnValues", "a"}, {"columnValuesDelimiter", "|"}})
            .name() == "BoundedColumnValue");
}

TEST_CASE("what is not known for sure has no partition") {
  for (const char* function : {"Murmur", "Murmur3", "Modulo", "HashCode", "ByteArray"}) {
    CHECK_FALSE(Certain(function, 8, Value::Double(1)));
    CHECK_FALSE(Certain(function, 8, Value::Boolean(true)));
    CHECK_FALSE(Certain(function, 8, Value::Timestamp(1)));
    CHECK_FALSE(Certain(function, 8, Value::Null(DataType::kInt)));
    CHECK_FALSE(Certain(function, 8, Value::Array(DataType::kInt, {Value::Int(1)})));
  }
}

}  // namespace trellis::partition
