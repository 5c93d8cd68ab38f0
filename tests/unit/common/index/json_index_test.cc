#include "common/index/json_index.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/index/index_bytes.h"

namespace trellis::index {
namespace {

using namespace std::string_literals;

// Documents {"a": "x", "tags": ["p", "q"]}, {"a": "y"}, {}, {"tags": ["q"]}: the first flattens to
// two.
std::string Sample() {
  return JsonIndexBytes({{".a"s, {0, 1, 2}},
                         {".a\0x"s, {0, 1}},
                         {".a\0y"s, {2}},
                         {".tags."s, {0, 1, 4}},
                         {".tags.\0p"s, {0}},
                         {".tags.\0q"s, {1, 4}}},
                        {0, 0, 1, 2, 3});
}

TEST_CASE("a path with a value gives the documents, not the flattened ones") {
  const std::string bytes = Sample();
  const auto index = JsonIndex::Open(AsBytes(bytes), 4);
  REQUIRE(index.status().message() == "");
  CHECK((*index)->version() == 2);
  CHECK((*index)->key_count() == 6);
  CHECK((*index)->flattened_count() == 5);
  CHECK((*index)->Check().message() == "");
  CHECK((*index)->Documents(".a", "x").value() == Roaring::bitmapOf(1, 0u));
  CHECK((*index)->Documents(".a", "y").value() == Roaring::bitmapOf(1, 1u));
  CHECK((*index)->Documents(".tags.", "q").value() == Roaring::bitmapOf(2, 0u, 3u));
  CHECK((*index)->Documents(".tags.").value() == Roaring::bitmapOf(2, 0u, 3u));
  CHECK((*index)->Documents(".a", "z").value().isEmpty());
  CHECK((*index)->Documents(".b").value().isEmpty());
}

TEST_CASE("a JSON index cut short anywhere is refused") {
  const std::string bytes = Sample();
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(JsonIndex::Open(AsBytes(bytes).first(size), 4).status().IsCorrupt());
  }
  std::string later = bytes;
  later[3] = 3;
  CHECK(JsonIndex::Open(AsBytes(later), 4).status().code() == StatusCode::kUnimplemented);
  for (const size_t at : {8, 16, 24}) {
    std::string damaged = bytes;
    damaged.replace(at, 8, BigEndianBytes<int64_t>(-1));
    CAPTURE(at);
    CHECK(JsonIndex::Open(AsBytes(damaged), 4).status().IsCorrupt());
  }
}

TEST_CASE("the walk finds keys out of order, documents past the end and a mapping that descends") {
  const auto check = [](const std::string& bytes, uint32_t documents) {
    return JsonIndex::Open(AsBytes(bytes), documents).value()->Check();
  };
  CHECK(check(Sample(), 3).IsCorrupt());  // document 3 of 3
  CHECK(
      JsonIndex::Open(AsBytes(Sample()), 3).value()->Documents(".tags.", "q").status().IsCorrupt());
  CHECK(check(JsonIndexBytes({{".a", {0, 1}}}, {1, 0}), 2).IsCorrupt());
  CHECK(check(JsonIndexBytes({{".a", {0, 1}}}, {0, 1}), 2).ok());
  CHECK(check(JsonIndexBytes({{".a", {0}}}, {-1}), 2).IsCorrupt());
  CHECK(check(JsonIndexBytes({{".a", {0, 5}}}, {0, 1}), 2).IsCorrupt());
  std::string longest = JsonIndexBytes({{".a", {0, 1}}}, {0, 1});
  longest[7] = 1;
  CHECK(check(longest, 2).IsCorrupt());
  std::string order = JsonIndexBytes({{".a", {0}}, {".b", {1}}}, {0, 1});
  order[order.find(".a") + 1] = 'c';
  CHECK(check(order, 2).IsCorrupt());
}

}  // namespace
}  // namespace trellis::index
