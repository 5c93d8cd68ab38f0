#include "common/partition/partition_hash.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::partition {

TEST_CASE("murmur2 is the hash of Kafka's Java client") {
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
      CHECK(KafkaMurmur2Partition(text, count) ==
            (static_cast<uint32_t>(hash) & 0x7fffffffu) % count);
    }
  }
}

TEST_CASE("Murmur3 is MurmurHash3_x86_32") {
  // Verification values that implementations of it share.
  CHECK(Murmur3("", 0) == 0);
  CHECK(Murmur3("", 1) == 0x514E28B7u);
  CHECK(Murmur3("", 0xFFFFFFFFu) == 0x81F16F39u);
  CHECK(Murmur3(std::string(4, '\0'), 0) == 0x2362F9DEu);
  CHECK(Murmur3("\x21\x43\x65\x87", 0) == 0xF55B516Bu);
  CHECK(Murmur3("\x21\x43\x65\x87", 0x5082EDEEu) == 0x2362F9DEu);
  CHECK(Murmur3("\x21\x43\x65", 0) == 0x7E4A8634u);
  CHECK(Murmur3("\x21\x43", 0) == 0xA0F7B07Au);
  CHECK(Murmur3("\x21", 0) == 0x72661CF4u);
}

TEST_CASE("the hash of a text is Java's String.hashCode") {
  // As Java's documentation defines it: s[0]*31^(n-1) + ..., in UTF-16 units.
  CHECK(JavaStringHash("hello") == 99162322);
  CHECK(JavaStringHash("") == 0);
  CHECK(JavaStringHash("Aa") == 2112);
  CHECK(JavaStringHash("BB") == 2112);
  CHECK(JavaStringHash("polygenelubricants") == INT32_MIN);
  CHECK(JavaStringHash("\xC3\xA9") == 0xE9);
  CHECK(JavaStringHash("\xEE\x80\x80") == 0xE000);
  CHECK(JavaStringHash("\xF0\x9F\x9A\x80") == 31 * 0xD83D + 0xDE80);
  for (const char* text : {"\xC3", "a\x80", "\xED\xA0\x80"})
    CHECK_FALSE(JavaStringHash(text).has_value());
}

TEST_CASE("the hash of bytes is Java's Arrays.hashCode") {
  // 31 * 1 + 97 for "a"; bytes are signed: 31 * (31 * 1 + (0xc3 - 256)) + (0xa9 - 256) for U+00E9.
  CHECK(JavaBytesHash("") == 1);
  CHECK(JavaBytesHash("a") == 128);
  CHECK(JavaBytesHash("\xC3\xA9") == 31 * (31 - 61) - 87);
}

}  // namespace trellis::partition
