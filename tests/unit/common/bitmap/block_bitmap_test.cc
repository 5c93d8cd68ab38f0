#include "common/bitmap/block_bitmap.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>

namespace trellis::bitmap {
namespace {

TEST_CASE("blocks of bits become the bitmap of their values, whatever their number") {
  std::mt19937 random(11);
  // Below, at and above the limit of an array container; empty; full.
  for (const uint32_t wanted : {0u, 1u, 4095u, 4096u, 4097u, 30000u, 65536u}) {
    auto bits = std::make_unique<BlockBits>();
    bits->fill(0);
    Roaring expected;
    for (uint32_t count = 0; count < wanted;) {
      const uint32_t value = wanted == 65536 ? count : random() % kBlockValues;
      uint64_t& word = (*bits)[value / 64];
      const uint64_t bit = uint64_t{1} << (value % 64);
      if (word & bit) continue;
      word |= bit;
      ++count;
      expected.add(3 * kBlockValues + value);
      expected.add(65535u * kBlockValues + value);
    }
    BlockBitmapBuilder builder;
    builder.Append(3, *bits);
    builder.Append(65535, *bits);
    const Roaring made = builder.Finish();
    CAPTURE(wanted);
    CHECK(made.cardinality() == 2 * wanted);
    CHECK(made == expected);
    CHECK(builder.Finish().isEmpty());
  }
}

}  // namespace
}  // namespace trellis::bitmap
