#include "common/index/bloom_filter.h"

#include <catch2/catch.hpp>
#include <string>

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
