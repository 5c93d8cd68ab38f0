#include "common/encode/roaring_layout.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "common/bitmap/roaring_bitmap.h"

namespace trellis::encode {
namespace {

using namespace std::string_literals;
using Runs = RoaringLayout::Runs;

std::string LayOut(const std::vector<uint32_t>& values, Runs runs) {
  std::string out = "before";
  RoaringLayout().Append(values, runs, out);
  REQUIRE(out.starts_with("before"));
  return out.substr(6);
}

TEST_CASE("an array has an offset, a run among few containers none", "[roaring_layout]") {
  CHECK(LayOut({1, 65535}, Runs::kWhereSmaller) ==
        "\x3A\x30\0\0\1\0\0\0"
        "\0\0\1\0"
        "\x10\0\0\0"
        "\1\0\xFF\xFF"s);
  CHECK(LayOut({5, 6, 7, 8}, Runs::kWhereSmaller) ==
        "\x3B\x30\0\0\1"
        "\0\0\3\0"
        "\1\0\5\0\3\0"s);
  CHECK(LayOut({5, 6, 7, 8}, Runs::kNever).size() == 24);
  CHECK(LayOut({}, Runs::kWhereSmaller) == "\x3A\x30\0\0\0\0\0\0"s);
  // Six bytes either way: an array.
  CHECK(LayOut({5, 6, 7}, Runs::kWhereSmaller).size() == 22);
}

TEST_CASE("bitmaps of every kind of container are read back", "[roaring_layout]") {
  std::mt19937 random(5);
  for (const Runs runs : {Runs::kNever, Runs::kWhereSmaller}) {
    for (const uint32_t keys : {1U, 3U, 4U, 9U}) {
      std::set<uint32_t> values;
      for (uint32_t key = 0; key < keys; ++key) {
        const uint32_t base = key * 3 << 16;
        const uint32_t count = key % 3 == 0 ? 4096 : key % 3 == 1 ? 30'000 : 65'536;
        for (uint32_t i = 0; i < count; ++i)
          values.insert(base + (count == 65'536 ? i : static_cast<uint32_t>(random() % 65'536)));
      }
      const std::string bytes = LayOut({values.begin(), values.end()}, runs);
      const auto read = bitmap::ReadRoaring(
          {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, 100 << 16);
      REQUIRE(read.ok());
      CHECK(read->cardinality() == values.size());
      CHECK(std::equal(values.begin(), values.end(), read->begin()));
    }
  }
}

}  // namespace
}  // namespace trellis::encode
