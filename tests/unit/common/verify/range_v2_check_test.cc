#include <cmath>

#include "common/verify/range_check.h"
#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

// Keys 2, 0, 3 in two slices. A slice holds the rows whose bit is 0: {0, 1} as an array, {1} as a
// run.
std::string File(uint32_t rows = 3) {
  return Ints({2}) + Be(int64_t{10}) + Le(uint16_t{0xF00D}) + "\x02\x02" + Le(uint16_t{1}) +
         Le(rows) + "\x03" + "\x02" + Le(uint16_t{2}) + Le(uint16_t{0}) + Le(uint16_t{1}) + "\x01" +
         Le(uint16_t{1}) + Le(uint16_t{1}) + Le(uint16_t{0});
}

void Check(Planted& planted, const std::string& bytes, std::vector<int32_t> values = {12, 10, 13}) {
  const auto check = OpenRangeCheck(View(bytes), {DataType::kInt, false, false, 3}, planted.log);
  if (!check) return;
  ColumnVector vector(DataType::kInt);
  for (const int32_t value : values) vector.Append(Value::Int(value));
  check->Take({0, 3, {}, {}, &vector});
  check->Finish();
}

TEST_CASE("each row's key is put together from the slices") {
  Planted planted;
  Check(planted, File());
  planted.None();
  Check(planted, File(), {12, 10, 11});
  planted.One(23, "expected key 1 of row 2, found 3");
}

TEST_CASE("keys are dictIds where there is a dictionary, in batches of any size") {
  Planted planted;
  const std::string bytes = File();
  const auto check = OpenRangeCheck(View(bytes), {DataType::kString, true, false, 3}, planted.log);
  REQUIRE(check);
  const std::vector<uint32_t> first = {2, 0}, second = {3};
  check->Take({0, 2, {}, first, nullptr});
  check->Take({2, 1, {}, second, nullptr});
  check->Finish();
  planted.None();
}

TEST_CASE("floating values are ordered as unsigned numbers") {
  Planted planted;
  // One row of 32 slices, all clear but for bits of the key: 1.0F is 3f800000, its key bf800000.
  std::string bytes = Ints({2}) + Be(int64_t{0}) + Le(uint16_t{0xF00D}) + "\x02\x20" +
                      Le(uint16_t{1}) + Le(uint32_t{1}) + Le(uint32_t{0x407FFFFF});
  for (int bit = 0; bit < 32; ++bit) {
    if ((0x407FFFFFU >> bit & 1) != 0) bytes += "\x02" + Le(uint16_t{1}) + Le(uint16_t{0});
  }
  const auto check = OpenRangeCheck(View(bytes), {DataType::kFloat, false, false, 1}, planted.log);
  REQUIRE(check);
  ColumnVector vector(DataType::kFloat);
  vector.Append(Value::Float(1.0F));
  check->Take({0, 1, {}, {}, &vector});
  check->Finish();
  planted.None();
}

TEST_CASE("the structure of version 2 is checked") {
  Planted planted;
  Check(planted, File(4));
  planted.One(18, "expected 3 rows, found 4");
  std::string bad = File();
  bad[12] = 0;
  Check(planted, bad);
  planted.One(12, "cookie f00d");
  bad = File();
  bad[15] = 65;
  Check(planted, bad);
  planted.One(15, "1 to 64 slices, found 65");
  bad = File();
  bad[16] = 2;
  Check(planted, bad);
  planted.One(16, "expected 1 blocks, found 2");
  bad = File();
  bad[22] = 7;
  Check(planted, bad);
  planted.One(22, "a mask of 2 slices");
  bad = File();
  bad[23] = 3;
  Check(planted, bad);
  planted.One(23, "slice 0 of block 0: a container of kind 0 to 2");
  bad = File();
  bad[28] = 0;  // the second row of the array
  Check(planted, bad);
  planted.One(23, "ascending rows below 3");
  Check(planted, File() + "x");
  planted.One(File().size(), "1 more bytes");
  Check(planted, File().substr(0, 21));
  planted.One(0, "a header of 22 bytes");
}

TEST_CASE("multi-value columns have no index of version 2") {
  Planted planted;
  CHECK_FALSE(OpenRangeCheck(View(File()), {DataType::kInt, false, true, 3}, planted.log));
  planted.One(0, "version 1 for this column");
}

}  // namespace
}  // namespace trellis::verify
