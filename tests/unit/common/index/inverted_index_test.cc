#include "common/index/inverted_index.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace trellis::index {
namespace {

std::string BigEndian(uint32_t v) {
  std::string bytes(4, '\0');
  StoreBigEndian(v, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

// Builds an index whose offsets count from `origin`: the buffer's start or the end of the table.
std::string Build(const std::vector<Roaring>& bitmaps, bool from_table_end) {
  std::string table, data;
  const size_t base = from_table_end ? 0 : 4 * (bitmaps.size() + 1);
  for (const Roaring& bitmap : bitmaps) {
    table += BigEndian(static_cast<uint32_t>(base + data.size()));
    std::string bytes(bitmap.getSizeInBytes(), '\0');
    bitmap.write(bytes.data());
    data += bytes;
  }
  return table + BigEndian(static_cast<uint32_t>(base + data.size())) + data;
}

TEST_CASE("both offset conventions find the documents of a dictId") {
  const std::vector<Roaring> bitmaps = {Roaring::bitmapOf(2, 0u, 4u), Roaring::bitmapOf(1, 1u),
                                        Roaring::bitmapOf(2, 2u, 3u)};
  for (const bool from_table_end : {false, true}) {
    const std::string bytes = Build(bitmaps, from_table_end);
    const auto index = InvertedIndex::Open(AsBytes(bytes), 3, 5).value();
    for (uint32_t id = 0; id < 3; ++id) CHECK(index->Documents(id).value() == bitmaps[id]);
  }
}

TEST_CASE("an inverted index with documents beyond the segment or damaged offsets is refused") {
  const std::vector<Roaring> bitmaps = {Roaring::bitmapOf(2, 0u, 4u), Roaring::bitmapOf(1, 1u)};
  const std::string bytes = Build(bitmaps, false);
  CHECK(InvertedIndex::Open(AsBytes(bytes), 2, 4).value()->Documents(0).status().IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(bytes), 3, 5).status().IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(bytes).first(11), 2, 5).status().IsCorrupt());
  std::string damaged = bytes;
  damaged[4] = '\x7f';
  CHECK(InvertedIndex::Open(AsBytes(damaged), 2, 5).value()->Documents(0).status().IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(damaged), 2, 5).value()->Documents(1).status().IsCorrupt());
}

}  // namespace
}  // namespace trellis::index
