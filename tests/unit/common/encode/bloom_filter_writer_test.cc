#include <catch2/catch.hpp>

#include "common/encode/index_writers.h"
#include "common/format/murmur3.h"
#include "common/index/bloom_filter.h"
#include "common/types/big_decimal.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

ColumnVector Of(DataType type, const std::vector<Value>& values) {
  ColumnVector column(type);
  for (const Value& value : values) column.Append(value);
  return column;
}

TEST_CASE("a filter has Guava's size and number of hashes", "[bloom_filter_writer]") {
  using namespace std::string_literals;
  WrittenFile written;
  std::vector<Value> values;
  for (int i = 0; i < 1000; ++i) values.push_back(Value::Int(i * 7));
  REQUIRE(WriteBloomFilter(Of(DataType::kInt, values), 0.05, written.file()).ok());
  // -1000 ln 0.05 / ln2^2 = 6235.2 bits are 98 words; -ln 0.05 / ln 2 = 4.3 hashes.
  CHECK(written.Text().substr(0, 14) == "\0\0\0\1\0\0\0\1\1\4\0\0\0\x62"s);
  CHECK(written.Bytes().size() == 14 + 98 * 8);
  const auto filter = index::BloomFilter::Open(written.Bytes());
  REQUIRE(filter.ok());
  size_t missing = 0, found = 0;
  for (int i = 0; i < 7000; ++i) {
    const bool may = (*filter)->MayContain(Value::Int(i));
    missing += i % 7 == 0 && !may;
    found += i % 7 != 0 && may;
  }
  CHECK(missing == 0);
  CHECK(found < 6000 / 10);  // 5 % are expected
}

TEST_CASE("values of every type are found", "[bloom_filter_writer]") {
  const std::vector<std::vector<Value>> columns = {
      {Value::Boolean(true), Value::Boolean(false)},
      {Value::Long(INT64_MIN), Value::Long(3)},
      {Value::Timestamp(1'700'000'000'000)},
      {Value::Float(1.5F), Value::Float(-1e6F)},
      {Value::Double(0.1), Value::Double(123456.75)},
      {Value::String(""), Value::String("gr\xC3\xBC\xC3\x9F")},
      {Value::Bytes(DataType::kBytes, std::string("\0\xFF", 2))},
      {Value::Bytes(DataType::kUuid, std::string(16, '\x12'))},
  };
  for (const auto& values : columns) {
    WrittenFile written;
    REQUIRE(WriteBloomFilter(Of(values[0].type(), values), 0.001, written.file()).ok());
    const auto filter = index::BloomFilter::Open(written.Bytes());
    REQUIRE(filter.ok());
    for (const Value& value : values) CHECK((*filter)->MayContain(value));
  }
}

// Whether the filter, of one value, was made from `text`.
bool IsFilterOf(ByteView filter, std::string_view text) {
  const format::Hash128 hash = format::Murmur3(text);
  const uint64_t bits = (filter.size() - 14) * 8;
  uint64_t combined = hash.low;
  for (int i = 0; i < filter[9]; ++i) {
    const uint64_t bit = (combined & INT64_MAX) % bits;
    if ((LoadBigEndian<uint64_t>(filter.data() + 14 + bit / 64 * 8) >> (bit % 64) & 1) == 0)
      return false;
    combined += hash.high;
  }
  return true;
}

TEST_CASE("decimals stand under Java's text", "[bloom_filter_writer]") {
  // What java.math.BigDecimal.toString gives for the text on the left.
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"1.10", "1.10"},
      {"-0.000001", "-0.000001"},
      {"0.0000001", "1E-7"},
      {"-1.23E-9", "-1.23E-9"},
      {"1E3", "1E+3"},
      {"12E3", "1.2E+4"},
      {"0", "0"},
      {"0E3", "0E+3"},
      {"1234567890123456789012", "1234567890123456789012"},
      {"0.00", "0.00"},
      {"0E-9", "0E-9"},
  };
  for (const auto& [decimal, text] : texts) {
    WrittenFile written;
    const Value value =
        Value::Bytes(DataType::kBigDecimal, BigDecimal::FromText(decimal).value().ToBytes());
    REQUIRE(WriteBloomFilter(Of(DataType::kBigDecimal, {value}), 1e-60, written.file()).ok());
    INFO(text);
    CHECK(IsFilterOf(written.Bytes(), text));
    CHECK_FALSE(IsFilterOf(written.Bytes(), text + "0"));
  }
}

TEST_CASE("a rate is a probability", "[bloom_filter_writer]") {
  WrittenFile written;
  const ColumnVector column = Of(DataType::kInt, {Value::Int(1)});
  for (const double rate : {0.0, 1.0, -0.5, 2.0})
    CHECK(WriteBloomFilter(column, rate, written.file()).code() == StatusCode::kInvalidArgument);
  CHECK(WriteBloomFilter(column, 0.999999, written.file()).code() ==
        StatusCode::kResourceExhausted);
  CHECK(WriteBloomFilter(column, 1e-80, written.file()).code() == StatusCode::kInvalidArgument);
  // Eight bits a value: 2^(-8 ln 2).
  CHECK(BloomRateOfSize(1000, 1000) == Approx(0.02142).epsilon(0.001));
}

}  // namespace
}  // namespace trellis::encode
