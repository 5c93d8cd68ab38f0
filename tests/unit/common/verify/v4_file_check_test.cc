#include "common/verify/raw_forward_check.h"
#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

// Four texts: a chunk of `aa` and `bbb`, a huge `ccccc`, a chunk of an empty one. PASS_THROUGH.
std::string File(int32_t version = 4) {
  const std::string table = Le(uint32_t{0}) + Le(uint32_t{0}) + Le(uint32_t{0x80000002}) +
                            Le(uint32_t{17}) + Le(uint32_t{3}) + Le(uint32_t{22});
  return Be(version) + Ints({64, 0, 40}) + table + Le(2) + Le(12) + Le(14) + "aabbb" + "ccccc" +
         Le(1) + Le(8);
}

void Check(Planted& planted, const std::string& bytes, uint32_t documents = 4) {
  RowFacts facts;
  CheckV4File(View(bytes), {DataType::kString}, documents, facts, planted.log);
}

std::string WithBe(std::string bytes, size_t at, int32_t value) {
  return bytes.replace(at, 4, Be(value));
}
std::string WithLe(std::string bytes, size_t at, uint32_t value) {
  return bytes.replace(at, 4, Le(value));
}

TEST_CASE("a whole V4 file has no faults, in any of its versions") {
  Planted planted;
  for (const int32_t version : {4, 5, 6}) Check(planted, File(version));
  planted.None();
}

TEST_CASE("each header field of V4 is checked") {
  Planted planted;
  Check(planted, WithBe(File(), 0, 7));
  planted.One(0, "expected version 4, 5 or 6, found 7");
  Check(planted, WithBe(File(), 4, 0));
  planted.One(4, "a chunk size");
  Check(planted, WithBe(File(), 8, -1));
  planted.One(8, "compression code");
  Check(planted, WithBe(File(), 12, 41));
  planted.One(12, "found 41");
  Check(planted, File().substr(0, 15));
  planted.One(0, "header of 16 bytes");
  Check(planted, Be(4) + Ints({64, 0, 16}));
  planted.One(12, "expected chunks of 4 documents, found none");
}

TEST_CASE("the chunk table ascends in documents and offsets") {
  Planted planted;
  Check(planted, WithLe(File(), 16, 1));
  planted.One(16, "found 1");
  Check(planted, WithLe(File(), 32, 2));
  planted.One(32, "above the last chunk's and below 4, found 2");
  Check(planted, WithLe(File(), 20, 1));
  planted.One(20, "expected an offset from 0 to 0, found 1");
  Check(planted, WithLe(File(), 28, 31));
  planted.One(28, "expected an offset from 0 to 30, found 31");
  Check(planted, File(), 3);
  planted.One(32, "below 3, found 3");
}

TEST_CASE("rows of a V4 chunk tile it") {
  Planted planted;
  Check(planted, WithLe(File(), 40, 1));
  planted.One(40, "expected 2 documents and their row starts, found 1 in 17 bytes");
  Check(planted, WithLe(File(), 44, 13));
  planted.One(40, "row 0 at 12 of its chunk, found 13");
  Check(planted, WithLe(File(), 48, 18));
  planted.One(40, "row 0 from 12 to 17 of its chunk, found its end at 18");
  Check(planted, WithBe(File(), 4, 16));
  planted.One(40, "a chunk of at most 16 bytes, found 17 bytes");
  Check(planted, File(), 5);
  planted.One(62, "expected 2 documents and their row starts, found 1 in 8 bytes");
}

TEST_CASE("compressed chunks of version 6 hold sizes that end with the chunk") {
  Planted planted;
  // One Snappy chunk of 14 bytes: n = 1, a size of 6, `abcdef`.
  const auto file = [](int32_t size) {
    return Be(6) + Ints({64, 1, 24}) + Le(uint32_t{0}) + Le(uint32_t{0}) + "\x0e\x34" + Le(1) +
           Le(size) + "abcdef";
  };
  Check(planted, file(6), 1);
  planted.None();
  Check(planted, file(5), 1);
  planted.One(24, "row 0 from 8 to 14 of its chunk, found its end at 13");
}

}  // namespace
}  // namespace trellis::verify
