#include "common/verify/bitmap_walk.h"

#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

std::string Bitmap(std::initializer_list<uint32_t> docs) {
  Roaring bitmap;
  for (const uint32_t doc : docs) bitmap.add(doc);
  std::string bytes(bitmap.getSizeInBytes(), '\0');
  bitmap.write(bytes.data());
  return bytes;
}

// Two bitmaps of 18 and 20 bytes behind three offsets.
std::string File(int32_t base) {
  return Ints({base, base + 18, base + 38}) + Bitmap({1}) + Bitmap({0, 2});
}

std::vector<std::vector<uint32_t>> Walk(Planted& planted, const std::string& bytes,
                                        uint32_t limit = 3) {
  std::vector<std::vector<uint32_t>> found;
  WalkBitmaps(View(bytes), 0, 2, limit, planted.log,
              [&](uint32_t id, uint64_t at, const Roaring& bitmap) {
                CHECK(id == found.size());
                CHECK(at == (id == 0 ? 12 : 30));
                found.emplace_back(bitmap.begin(), bitmap.end());
              });
  return found;
}

TEST_CASE("bitmaps are found by offsets of either kind") {
  Planted planted;
  const std::vector<std::vector<uint32_t>> all = {{1}, {0, 2}};
  CHECK(Walk(planted, File(12)) == all);
  CHECK(Walk(planted, File(0)) == all);
  planted.None();
}

TEST_CASE("offsets ascend and end with the index") {
  Planted planted;
  Walk(planted, File(8));
  planted.One(0, "first offset 12 or 0, found 8");
  std::string bad = File(12);
  bad.replace(4, 4, Be(11));
  Walk(planted, bad);
  planted.One(4, "expected an offset from 12 to 50, found 11");
  Walk(planted, File(12) + "x");
  planted.One(50, "1 more bytes");
  Walk(planted, "12345678");
  planted.One(0, "3 offsets, found 8 bytes");
}

TEST_CASE("a bad bitmap is a fault at its place and the others are walked") {
  Planted planted;
  CHECK(Walk(planted, File(12), 2).size() == 1);
  planted.One(30, "bitmap 1, of values below 2");
}

}  // namespace
}  // namespace trellis::verify
