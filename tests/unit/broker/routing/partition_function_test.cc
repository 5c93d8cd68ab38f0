#include "broker/routing/partition_function.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace trellis::broker {
namespace {

// abs as Kafka's and Pinot's HashCode and ByteArray take it.
uint32_t AbsoluteOf(int32_t hash, uint32_t count) {
  return static_cast<uint32_t>(hash < 0 ? -hash : hash) % count;
}

}  // namespace

TEST_CASE("Murmur is the hash of Kafka's Java client") {
  // Vectors of Kafka's own test of Utils.murmur2.
  const std::pair<const char*, int32_t> vectors[] = {
      {"21", -973932308},
      {"foobar", -790332482},
      {"a-little-bit-long-string", -985981536},
      {"a-little-bit-longer-string", -1486304829},
      {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
      {"abc", 479470107},
  };
  for (const auto& [text, hash] : vectors) {
    for (const uint32_t count : {1u, 7u, 256u, 2147483647u}) {
      INFO(text << " of " << count);
      CHECK(PartitionOf("Murmur", count, Value::String(text)) ==
            (static_cast<uint32_t>(hash) & 0x7fffffffu) % count);
    }
  }
  CHECK(PartitionOf("murmur2", 256, Value::String("21")) ==
        PartitionOf("Murmur", 256, Value::String("21")));
  // Numbers are hashed as their text.
  CHECK(PartitionOf("Murmur", 256, Value::Int(21)) ==
        PartitionOf("Murmur", 256, Value::String("21")));
  CHECK(PartitionOf("Murmur", 256, Value::Long(21)) ==
        PartitionOf("Murmur", 256, Value::String("21")));
}

TEST_CASE("Modulo is the remainder of a number") {
  CHECK(PartitionOf("Modulo", 7, Value::Int(23)) == 2u);
  CHECK(PartitionOf("MODULO", 7, Value::Long(int64_t{1} << 40)) == (uint64_t{1} << 40) % 7);
  CHECK(PartitionOf("Modulo", 7, Value::Int(0)) == 0u);
  CHECK_FALSE(PartitionOf("Modulo", 7, Value::Int(-1)));
  CHECK_FALSE(PartitionOf("Modulo", 7, Value::String("23")));
}

TEST_CASE("HashCode is Java's String.hashCode") {
  // "hello".hashCode() and others, as Java's documentation defines them: s[0]*31^(n-1) + ...
  CHECK(PartitionOf("HashCode", 1000, Value::String("hello")) == AbsoluteOf(99162322, 1000));
  CHECK(PartitionOf("HashCode", 1000, Value::String("")) == 0u);
  CHECK(PartitionOf("HashCode", 1000, Value::String("Aa")) == 2112u % 1000);
  CHECK(PartitionOf("HashCode", 1000, Value::String("BB")) == 2112u % 1000);
  // Its hash is Integer.MIN_VALUE, which has no absolute value.
  CHECK_FALSE(PartitionOf("HashCode", 1000, Value::String("polygenelubricants")));
  CHECK_FALSE(PartitionOf("HashCode", 1000, Value::String("\xc3\xa9")));
  CHECK_FALSE(PartitionOf("HashCode", 1000, Value::Int(5)));
}

TEST_CASE("ByteArray is Java's Arrays.hashCode of the bytes") {
  // 31 * 1 + 97 for "a"; bytes are signed: 31 * (31 * 1 + (0xc3 - 256)) + (0xa9 - 256) for U+00E9.
  CHECK(PartitionOf("ByteArray", 1000, Value::String("a")) == 128u);
  CHECK(PartitionOf("ByteArray", 1000, Value::String("")) == 1u);
  CHECK(PartitionOf("ByteArray", 10'000, Value::String("\xc3\xa9")) ==
        AbsoluteOf(31 * (31 - 61) - 87, 10'000));
  CHECK_FALSE(PartitionOf("ByteArray", 1000, Value::Long(5)));
}

TEST_CASE("what is not known for sure has no partition") {
  for (const char* function : {"Murmur3", "Fnv", "BoundedColumnValue", "", "Custom"})
    CHECK_FALSE(PartitionOf(function, 8, Value::String("a")));
  for (const char* function : {"Murmur", "Modulo", "HashCode", "ByteArray"}) {
    CHECK_FALSE(PartitionOf(function, 8, Value::Double(1)));
    CHECK_FALSE(PartitionOf(function, 8, Value::Boolean(true)));
    CHECK_FALSE(PartitionOf(function, 8, Value::Timestamp(1)));
    CHECK_FALSE(PartitionOf(function, 8, Value::Null(DataType::kInt)));
    CHECK_FALSE(PartitionOf(function, 8, Value::Array(DataType::kInt, {Value::Int(1)})));
    CHECK_FALSE(PartitionOf(function, UINT32_MAX, Value::Int(1)));
  }
}

}  // namespace trellis::broker
