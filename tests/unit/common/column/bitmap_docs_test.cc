#include "common/column/bitmap_docs.h"

#include <catch2/catch.hpp>
#include <vector>

namespace trellis::column {
namespace {

TEST_CASE("blocks hold the documents of a bitmap, all but the last one full") {
  Roaring bitmap;
  bitmap.addRange(10, 70000);  // runs over a container's end
  for (uint32_t i = 0; i < 5000; ++i) bitmap.add(200000 + i * 7);
  bitmap.add(UINT32_MAX);
  BitmapDocs docs(bitmap, 1000);
  std::vector<uint32_t> all;
  for (auto block = docs.Next(); !block.empty(); block = docs.Next()) {
    CHECK((block.size() == 1000 || all.size() + block.size() == bitmap.cardinality()));
    all.insert(all.end(), block.begin(), block.end());
  }
  std::vector<uint32_t> expected(bitmap.cardinality());
  bitmap.toUint32Array(expected.data());
  CHECK(all == expected);
  CHECK(docs.Next().empty());
}

TEST_CASE("an empty bitmap has no block") {
  const Roaring bitmap;
  CHECK(BitmapDocs(bitmap, 10).Next().empty());
}

TEST_CASE("documents are skipped forwards only") {
  const Roaring bitmap = Roaring::bitmapOf(5, 1U, 5U, 9U, 70000U, 70001U);
  BitmapDocs docs(bitmap, 2);
  docs.SkipTo(4);
  const auto block = docs.Next();
  CHECK(std::vector<uint32_t>(block.begin(), block.end()) == std::vector<uint32_t>{5, 9});
  docs.SkipTo(3);
  const auto rest = docs.Next();
  CHECK(std::vector<uint32_t>(rest.begin(), rest.end()) == std::vector<uint32_t>{70000, 70001});
  docs.SkipTo(80000);
  CHECK(docs.Next().empty());
}

}  // namespace
}  // namespace trellis::column
