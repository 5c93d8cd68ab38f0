#include "common/index/bloom_filter.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/types/java_text.h"

namespace trellis::index {
namespace {

constexpr int32_t kWords = 1024;
constexpr int kHashes = 5;

// A filter that holds exactly the text with this 128-bit hash, after Guava's rule for its bits.
std::string FilterOf(uint64_t low, uint64_t high) {
  std::string bytes(14 + kWords * 8, '\0');
  auto* at = reinterpret_cast<uint8_t*>(bytes.data());
  StoreBigEndian<int32_t>(1, at);
  StoreBigEndian<int32_t>(1, at + 4);
  at[8] = 1;
  at[9] = kHashes;
  StoreBigEndian<int32_t>(kWords, at + 10);
  for (int i = 0; i < kHashes; ++i, low += high) {
    const uint64_t bit = (low & INT64_MAX) % (kWords * 64);
    uint8_t* word = at + 14 + bit / 64 * 8;
    StoreBigEndian<uint64_t>(LoadBigEndian<uint64_t>(word) | uint64_t{1} << (bit % 64), word);
  }
  return bytes;
}

// MurmurHash3_x64_128 of these texts with seed 0, as published with the algorithm.
TEST_CASE("a text is found by its published hash, its neighbours are not") {
  const std::string fox = "The quick brown fox jumps over the lazy dog";  // two blocks and a rest
  const std::string bytes = FilterOf(0xe34bbc7bbc071b6cULL, 0x7a433ca9c49a9347ULL);
  const auto filter = BloomFilter::Open(AsBytes(bytes)).value();
  CHECK(filter->MayContain(Value::String(fox)));
  CHECK_FALSE(filter->MayContain(Value::String(fox + ".")));
  CHECK_FALSE(filter->MayContain(Value::String("hello")));

  const std::string hello_bytes = FilterOf(0xcbd8a7b341bd9b02ULL, 0x5b1e906a48ae1d19ULL);
  const auto hello = BloomFilter::Open(AsBytes(hello_bytes)).value();
  CHECK(hello->MayContain(Value::String("hello")));
  CHECK_FALSE(hello->MayContain(Value::String("Hello")));
}

// Hashes of the texts named, by an implementation other than ours.
TEST_CASE("each type is looked up under the text of its stored value") {
  struct Case {
    Value value;
    Value other;
    uint64_t low, high;
  };
  const auto hex = [](DataType type, const char* text) {
    return Value::Bytes(type, ParseHex(text).value());
  };
  const std::vector<Case> cases = {
      // -42
      {Value::Int(-42), Value::Int(42), 0xc610509fe2bb3a38, 0x353d0c8440479f8b},
      // 9223372036854775807
      {Value::Long(INT64_MAX), Value::Long(INT64_MIN), 0x636591a2ccd7073b, 0x7deab356749a5f64},
      // 1
      {Value::Boolean(true), Value::Boolean(false), 0x71fbbbfe8a7b7c71, 0x942aeb9bf9f0f637},
      // 1700000000000
      {Value::Timestamp(1700000000000), Value::Timestamp(0), 0x3105487f17c82aab,
       0xc3c9515c159262b9},
      // 00ff
      {hex(DataType::kBytes, "00FF"), hex(DataType::kBytes, "ff00"), 0x4e50aa3b07f0ba79,
       0x38bfeedac3860b32},
      // 0123456789abcdef0123456789abcdef
      {hex(DataType::kUuid, "0123456789abcdef0123456789abcdef"),
       hex(DataType::kUuid, "0123456789abcdef0123456789abcdee"), 0x4f3a26b5d6197cba,
       0x10b5291efa740ca2},
      // {"a":1}
      {Value::Bytes(DataType::kJson, R"({"a":1})"), Value::Bytes(DataType::kJson, R"({"a":2})"),
       0x75b4c446ea7e78a0, 0xed33cf94515d0333},
      // 0.05
      {Value::Float(0.05f), Value::Float(0.06f), 0xb9b15faf28a24684, 0x3e59684f54cf4841},
      {Value::Double(0.05), Value::Double(0.06), 0xb9b15faf28a24684, 0x3e59684f54cf4841},
      // -12.5
      {Value::Double(-12.5), Value::Double(12.5), 0xdfa740d7bddeeab7, 0x2313015766ccf26},
      // 7.0
      {Value::Float(7), Value::Float(8), 0xd69331c591e67991, 0xc06f612487d00563},
      // 3.0E9
      {Value::Double(3e9), Value::Double(4e9), 0x2209b96643693fc7, 0x5f892351dc397755},
  };
  for (const Case& one : cases) {
    CAPTURE(ValueToText(one.value));
    const std::string bytes = FilterOf(one.low, one.high);
    const auto filter = BloomFilter::Open(AsBytes(bytes)).value();
    CHECK(filter->MayContain(one.value));
    CHECK_FALSE(filter->MayContain(one.other));
  }
}

TEST_CASE("floating values that equal others, or whose text depends on the JDK, may be contained") {
  const std::string bytes = FilterOf(1, 2);
  const auto filter = BloomFilter::Open(AsBytes(bytes)).value();
  // 2.0E23 was 1.9999999999999998E23 before JDK 19; -0.0 and 0.0 are one number.
  for (const double value : {0.0, -0.0, 2e23, 1e-5, 0.1 + 0.2, 1e300, -1e7 / 3})
    CHECK(filter->MayContain(Value::Double(value)));
  for (const float value : {0.0f, 3e10f, 1.0f / 3, 16777216.0f})
    CHECK(filter->MayContain(Value::Float(value)));
  CHECK_FALSE(filter->MayContain(Value::Double(0x1p53 - 1)));
  CHECK_FALSE(filter->MayContain(Value::Float(16777215.0f)));
}

TEST_CASE("values whose stored text is unknown may always be contained") {
  const std::string bytes = FilterOf(1, 2);
  const auto filter = BloomFilter::Open(AsBytes(bytes)).value();
  CHECK(filter->MayContain(Value::Null(DataType::kString)));
  CHECK(filter->MayContain(Value::Bytes(DataType::kBigDecimal, std::string(3, '\1'))));
  CHECK_FALSE(filter->MayContain(Value::Int(5)));
}

TEST_CASE("a filter with a lying size, no hashes or another strategy is refused") {
  const std::string good = FilterOf(1, 2);
  REQUIRE(BloomFilter::Open(AsBytes(good)).ok());
  CHECK(BloomFilter::Open(AsBytes(good).first(good.size() - 1)).status().IsCorrupt());
  CHECK(BloomFilter::Open(AsBytes(good).first(10)).status().IsCorrupt());
  for (const size_t at : {9, 10, 13}) {
    std::string damaged = good;
    damaged[at] = at == 9 ? '\0' : '\xff';
    CAPTURE(at);
    CHECK(BloomFilter::Open(AsBytes(damaged)).status().IsCorrupt());
  }
  std::string other = good;
  other[8] = 0;
  CHECK(BloomFilter::Open(AsBytes(other)).status().code() == StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace trellis::index
