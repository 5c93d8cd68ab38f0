#include "common/bitmap/roaring_bitmap.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::bitmap {
namespace {

std::string Serialize(const Roaring& bitmap) {
  std::string bytes(bitmap.getSizeInBytes(), '\0');
  bitmap.write(bytes.data());
  return bytes;
}

// One bitmap with an array, a bitset and a run container.
Roaring Mixed(bool runs) {
  Roaring bitmap;
  for (uint32_t i = 0; i < 100; ++i) bitmap.add(i * i);
  for (uint32_t i = 0; i < 60000; i += 2) bitmap.add(65536 + i);
  bitmap.addRange(200000, 240000);
  if (runs) bitmap.runOptimize();
  return bitmap;
}

TEST_CASE("array, bitset and run containers read back") {
  for (const bool runs : {false, true}) {
    const Roaring bitmap = Mixed(runs);
    const std::string bytes = Serialize(bitmap);
    CHECK(ReadRoaring(AsBytes(bytes), 240000).value() == bitmap);
  }
  CHECK(ReadRoaring(AsBytes(Serialize(Roaring())), 0).value().isEmpty());
}

TEST_CASE("a value at the limit is refused") {
  CHECK(ReadRoaring(AsBytes(Serialize(Mixed(true))), 239999).status().IsCorrupt());
  CHECK(ReadRoaring(AsBytes(Serialize(Mixed(false))), 239999).status().IsCorrupt());
}

TEST_CASE("a bitmap cut short anywhere or followed by bytes is refused") {
  for (const bool runs : {false, true}) {
    const std::string bytes = Serialize(Mixed(runs));
    for (size_t size = 0; size < bytes.size(); ++size) {
      if (size > 300 && size % 97 != 0) continue;
      CAPTURE(size);
      CHECK(ReadRoaring(AsBytes(bytes).first(size), 1 << 30).status().IsCorrupt());
    }
    CHECK(ReadRoaring(AsBytes(bytes + "x"), 1 << 30).status().IsCorrupt());
  }
}

TEST_CASE("values out of order, equal keys and wrong cardinalities are refused") {
  Roaring two;
  two.add(1);
  two.add(5);
  two.add(70000);
  const std::string good =
      Serialize(two);  // cookie, count, 2 x (key, cardinality-1), 2 offsets, values
  REQUIRE(good.size() == 30);
  REQUIRE(ReadRoaring(AsBytes(good), 1 << 20).ok());
  const auto with = [&](size_t at, char byte) {
    std::string bytes = good;
    bytes[at] = byte;
    return ReadRoaring(AsBytes(bytes), 1 << 20).status().IsCorrupt();
  };
  CHECK(with(24, 5));   // first value equals the second
  CHECK(with(24, 9));   // descending
  CHECK(with(12, 0));   // second key equals the first
  CHECK(with(10, 2));   // cardinality
  CHECK(with(16, 25));  // container offset
  CHECK(with(4, 3));    // number of containers
  CHECK(with(0, 0));    // cookie
}

}  // namespace
}  // namespace trellis::bitmap
