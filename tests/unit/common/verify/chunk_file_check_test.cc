#include "common/codec/compression.h"
#include "common/verify/raw_forward_check.h"
#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

// Three INTs, two a chunk, version 2, PASS_THROUGH.
std::string Fixed() { return Ints({2, 2, 2, 4, 3, 0, 28, 36, 44, 7, 8, 9}); }
// Three texts in the same chunks: slots, then the rows; the last slot stands for no document.
std::string Rows() {
  return Ints({2, 2, 2, 3, 3, 0, 28, 36, 48, 8, 10}) + "aabb" + Ints({8, 0}) + "ccc";
}

void Check(Planted& planted, const std::string& bytes, bool fixed) {
  RowFacts facts;
  const RowShape shape{fixed ? DataType::kInt : DataType::kString};
  CheckChunkFile(View(bytes), shape, fixed, 3, facts, planted.log);
}

// The fixture with one of its 4-byte fields set.
std::string With(std::string bytes, size_t at, int32_t value) {
  return bytes.replace(at, 4, Be(value));
}

TEST_CASE("whole files have no faults") {
  Planted planted;
  Check(planted, Fixed(), true);
  Check(planted, Rows(), false);
  planted.None();
}

TEST_CASE("each header field is checked") {
  Planted planted;
  Check(planted, With(Fixed(), 0, 0), true);
  planted.One(0, "version 0");
  Check(planted, With(Fixed(), 4, 3), true);
  planted.One(4, "expected 2 chunks, found 3");
  Check(planted, With(Fixed(), 8, -1), true);
  planted.One(8, "expected documents a chunk, found -1");
  Check(planted, With(Fixed(), 12, 8), true);
  planted.One(12, "expected values of 4 bytes, found 8");
  Check(planted, With(Fixed(), 16, 4), true);
  planted.One(16, "expected 3 documents, found 4");
  Check(planted, With(Fixed(), 20, 8), true);
  planted.One(20, "compression code");
  Check(planted, With(Fixed(), 24, 12), true);
  planted.One(24, "offsets behind the header, found 12");
  Check(planted, Fixed().substr(0, 20), true);
  planted.One(0, "in 20 bytes");
}

TEST_CASE("chunk offsets tile the file") {
  Planted planted;
  Check(planted, With(Fixed(), 28, 40), true);
  planted.One(28, "expected chunk 0 at 36, found 40");
  Check(planted, With(Fixed(), 32, 49), true);
  planted.One(32, "expected an offset from 36 to 48, found 49");
  Check(planted, With(Fixed(), 24, 44), true);
  planted.One(44, "2 chunk offsets");
}

TEST_CASE("chunks of fixed width hold their documents exactly") {
  Planted planted;
  Check(planted, Fixed() + "x", true);
  planted.One(44, "4 bytes of 1 documents, found 5 bytes");
}

TEST_CASE("row starts ascend from behind the slots to the chunk's end") {
  Planted planted;
  Check(planted, With(Rows(), 36, 9), false);
  planted.One(36, "expected row 0 at 8 of its chunk, found 9");
  Check(planted, With(Rows(), 40, 13), false);
  planted.One(36, "row 0 from 8 to 12 of its chunk, found its end at 13");
  Check(planted, With(Rows(), 52, 9), false);
  planted.One(48, "0 as the start of row 1, which is not there, found 9");
}

TEST_CASE("a chunk that does not inflate is a fault at its place, and others are still read") {
  Planted planted;
  // LZ4: a token that promises literals that are not there.
  std::string bytes = Ints({2, 2, 2, 4, 3, 3, 28, 36, 37}) + "\xF0\xF0";
  Check(planted, bytes, true);
  const auto faults = planted.list.Take();
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].offset == Planted::kStart + 36);
  CHECK(faults[1].offset == Planted::kStart + 37);
  CHECK(faults[0].expected == "chunk 0, LZ4 of at most 8 bytes");
}

TEST_CASE("version 1 is Snappy, with a header of 16 bytes") {
  Planted planted;
  // A Snappy block: length 8, one literal of 8 bytes; then 4 of 4.
  const std::string bytes =
      Ints({1, 2, 2, 4, 24, 34}) + "\x08\x1c" + Ints({7, 8}) + "\x04\x0c" + Ints({9});
  Check(planted, bytes, true);
  planted.None();
  Check(planted, With(bytes, 4, 1), true);
  planted.One(4, "expected 2 chunks, found 1");
}

}  // namespace
}  // namespace trellis::verify
