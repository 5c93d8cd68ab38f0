#include "common/verify/range_check.h"
#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

// Ranges [1, 5) and [5, 9] of INT, with these rows.
std::string File(std::initializer_list<uint32_t> low, std::initializer_list<uint32_t> high) {
  const std::string a = RoaringOf(low), b = RoaringOf(high);
  const std::string head = Ints({1, 3}) + "INT" + Ints({2, 1, 5, 9});
  const uint64_t start = head.size() + 24;
  return head + Be(start) + Be(start + a.size()) + Be(start + a.size() + b.size()) + a + b;
}

// Rows {1}, {5, 9}, {4, 5}.
void Check(Planted& planted, const std::string& bytes,
           std::vector<int32_t> values = {1, 5, 9, 4, 5}) {
  const auto check = OpenRangeCheck(View(bytes), {DataType::kInt, false, true, 3}, planted.log);
  if (!check) return;
  ColumnVector vector(ValueType{DataType::kInt, true});
  vector.values<int32_t>() = values;
  vector.SetSize(3);
  const std::vector<uint32_t> offsets = {0, 1, 3, 5};
  check->Take({0, 3, offsets, {}, &vector});
  check->Finish();
}

TEST_CASE("each value's range holds its row and no others") {
  Planted planted;
  Check(planted, File({0, 2}, {1, 2}));
  planted.None();
  Check(planted, File({0}, {1, 2}));
  planted.One(51, "row 2 in range 0, found it is not");
  Check(planted, File({0, 1, 2}, {1, 2}));
  planted.One(51, "the 2 rows of range 0, found 3 rows");
  Check(planted, File({0, 2}, {1, 2}), {1, 5, 10, 4, 5});
  planted.One(15, "ranges that hold the value of row 1");
}

TEST_CASE("the structure of version 1 is checked") {
  Planted planted;
  const std::string good = File({0, 2}, {1, 2});
  std::string bad = good;
  bad[8] = 'X';
  Check(planted, bad);
  planted.One(8, "expected INT, found 'XNT'");
  bad = good;
  bad.replace(4, 4, Be(-1));
  Check(planted, bad);
  planted.One(4, "length of a type's name, found -1");
  bad = good;
  bad.replace(11, 4, Be(1 << 30));
  Check(planted, bad);
  planted.One(11, "a number of ranges");
  bad = good;
  bad.replace(19, 4, Be(0));
  Check(planted, bad);
  planted.One(19, "ascending range starts");
  Check(planted, good + "x");
  planted.One(43, "an offset from");
  bad = good;
  bad.replace(27, 8, Be(uint64_t{50}));
  Check(planted, bad);
  planted.One(27, "first offset 51, found 50");
}

TEST_CASE("zeros of both signs may lie in ranges of their own, -0.0 first") {
  // Ranges [-1, -0.0), [-0.0, 0.0), [0.0, NaN] of one row each, and one of NaN.
  const double values[] = {-1, -0.0, 0.0, std::numeric_limits<double>::quiet_NaN()};
  std::string bytes = Ints({1, 6}) + "DOUBLE" + Be(3);
  for (const double value : values) bytes += Be(value);
  const std::string bitmaps[] = {RoaringOf({0}), RoaringOf({1}), RoaringOf({2, 3})};
  uint64_t at = bytes.size() + 4 * 8;
  for (const std::string& bitmap : bitmaps) {
    bytes += Be(at);
    at += bitmap.size();
  }
  bytes += Be(at);
  for (const std::string& bitmap : bitmaps) bytes += bitmap;
  const auto take = [&](Planted& planted, std::vector<double> rows) {
    const auto check =
        OpenRangeCheck(View(bytes), {DataType::kDouble, false, false, 4}, planted.log);
    REQUIRE(check);
    ColumnVector vector(DataType::kDouble);
    for (const double value : rows) vector.Append(Value::Double(value));
    check->Take({0, 4, {}, {}, &vector});
    check->Finish();
  };
  Planted planted;
  take(planted, {-1, -0.0, 0.0, std::numeric_limits<double>::quiet_NaN()});
  planted.None();
  take(planted, {-1, 0.0, 0.0, 5});
  CHECK(planted.list.fault_count() == 2);  // row 1 is not in 0.0's range, its own has one too many
}

}  // namespace
}  // namespace trellis::verify
