#include "common/index/inverted_index.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/index/index_bytes.h"

namespace trellis::index {
namespace {

const std::vector<Roaring>& Sample() {
  static const std::vector<Roaring> bitmaps = {
      Roaring::bitmapOf(2, 0u, 4u), Roaring::bitmapOf(1, 1u), Roaring::bitmapOf(2, 2u, 3u)};
  return bitmaps;
}

TEST_CASE("both offset conventions find the documents of a dictId") {
  for (const bool from_table_end : {false, true}) {
    const std::string bytes = InvertedBytes(Sample(), from_table_end);
    const auto index = InvertedIndex::Open(AsBytes(bytes), 3, 5).value();
    for (uint32_t id = 0; id < 3; ++id) CHECK(index->Documents(id).value() == Sample()[id]);
    CHECK(index->Check(true).message() == "");
  }
}

TEST_CASE("an inverted index with documents beyond the segment or damaged offsets is refused") {
  const std::vector<Roaring> bitmaps = {Roaring::bitmapOf(2, 0u, 4u), Roaring::bitmapOf(1, 1u)};
  const std::string bytes = InvertedBytes(bitmaps);
  CHECK(InvertedIndex::Open(AsBytes(bytes), 2, 4).value()->Documents(0).status().IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(bytes), 3, 5).status().IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(bytes).first(11), 2, 5).status().IsCorrupt());
  std::string damaged = bytes;
  damaged[4] = '\x7f';
  CHECK(InvertedIndex::Open(AsBytes(damaged), 2, 5).value()->Documents(0).status().IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(damaged), 2, 5).value()->Documents(1).status().IsCorrupt());
}

TEST_CASE("the walk finds gaps at the end, documents missing and documents twice") {
  const std::string bytes = InvertedBytes(Sample());
  CHECK(InvertedIndex::Open(AsBytes(bytes + "x"), 3, 5).value()->Check(true).IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(bytes), 3, 6).value()->Check(true).IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(bytes), 3, 6).value()->Check(false).ok());
  const std::string twice = InvertedBytes({Roaring::bitmapOf(2, 0u, 1u), Roaring::bitmapOf(1, 1u)});
  CHECK(InvertedIndex::Open(AsBytes(twice), 2, 2).value()->Check(true).IsCorrupt());
  CHECK(InvertedIndex::Open(AsBytes(twice), 2, 2).value()->Check(false).ok());
}

TEST_CASE("the layout of 1.5.0 and 1.5.1 brings its own dictionary") {
  const std::string bytes = LegacyInvertedBytes({"apple", "fig", "pear"}, Sample());
  REQUIRE(LegacyRawInvertedIndex::Recognizes(AsBytes(bytes)));
  const auto index = LegacyRawInvertedIndex::Open(AsBytes(bytes), DataType::kString, 5);
  REQUIRE(index.status().message() == "");
  CHECK((*index)->dictionary().size() == 3);
  CHECK((*index)->dictionary().Find(Value::String("fig")) == 1u);
  for (uint32_t id = 0; id < 3; ++id) CHECK((*index)->Documents(id).value() == Sample()[id]);
  CHECK((*index)->Check(true).message() == "");
}

TEST_CASE("the two layouts are told apart by their first number") {
  CHECK_FALSE(LegacyRawInvertedIndex::Recognizes(AsBytes(InvertedBytes(Sample()))));
  CHECK_FALSE(LegacyRawInvertedIndex::Recognizes(AsBytes(InvertedBytes(Sample(), true))));
  const std::string legacy = LegacyInvertedBytes({"apple", "fig", "pear"}, Sample());
  CHECK(InvertedIndex::Open(AsBytes(legacy), 3, 5).status().IsCorrupt());
}

TEST_CASE("a damaged header of that layout is refused") {
  const std::string bytes = LegacyInvertedBytes({"apple", "fig", "pear"}, Sample());
  const auto open = [](const std::string& damaged) {
    return LegacyRawInvertedIndex::Open(AsBytes(damaged), DataType::kString, 5).status();
  };
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(open(bytes.substr(0, size)).IsCorrupt());
  }
  for (const size_t at : {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40}) {
    std::string damaged = bytes;
    damaged.replace(at, 4, BigEndianBytes<int32_t>(-1));
    CAPTURE(at);
    CHECK(open(damaged).IsCorrupt());
  }
  std::string first = bytes;  // where the first bitmap lies
  first[bytes.size() - InvertedBytes(Sample()).size() + 3] ^= 1;
  CHECK(open(first).IsCorrupt());
}

}  // namespace
}  // namespace trellis::index
