#include "common/verify/inverted_check.h"

#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

// Rows {1}, {0}, {0}.
IdRows Rows() {
  IdRows rows;
  const std::vector<uint32_t> ids = {1, 0, 0};
  rows.Take({0, 3, {}, ids, nullptr});
  return rows;
}

void Check(Planted& planted, const std::string& bytes) {
  const IdRows rows = Rows();
  CheckInverted(View(bytes), 2, 3, &rows, planted.log);
}

TEST_CASE("an inverted index that is that of the rows has no faults") {
  Planted planted;
  Check(planted, InvertedOf({{1, 2}, {0}}));
  planted.None();
  CheckInverted(View(InvertedOf({{0, 1, 2}, {0}})), 2, 3, nullptr, planted.log);
  planted.None();
}

TEST_CASE("a row too many and a row too few are faults at the value's bitmap") {
  Planted planted;
  Check(planted, InvertedOf({{0, 1, 2}, {0}}));
  planted.One(12, "expected rows of dictId 0, found row 0, which the forward index gives another");
  Check(planted, InvertedOf({{1}, {0}}));
  planted.One(12, "expected all 2 rows of dictId 0, found 1 of them");
  Check(planted, InvertedOf({{1, 2}, {3}}));
  CHECK(planted.list.Take().at(0).offset == Planted::kStart + 12 + RoaringOf({1, 2}).size());
}

TEST_CASE("the inverted index of a sorted column holds its ranges") {
  OpenedTiny tiny{segment::TinySegment()};
  const auto column = tiny.view().segment().OpenColumn("s").value();
  Planted planted;
  const auto check = [&](const std::string& bytes) {
    CheckSortedInverted(View(bytes), column->forward(), 2, 3, planted.log);
  };
  check(InvertedOf({{0}, {1, 2}}));
  planted.None();
  check(InvertedOf({{1}, {1, 2}}));
  planted.One(12, "expected rows [0, 0] of dictId 0, found 1 rows of [1, 1]");
}

// The layout of 1.5.0 over INT values 7 and 9.
std::string Legacy(std::initializer_list<uint32_t> first, uint64_t dictionary_at = 44) {
  const std::string dictionary = Ints({7, 9});
  const auto start = static_cast<int32_t>(44 + dictionary.size() + 12);
  const std::string a = RoaringOf(first), b = RoaringOf({0});
  const std::string inverted = Ints({start, static_cast<int32_t>(start + a.size()),
                                     static_cast<int32_t>(start + a.size() + b.size())}) +
                               a + b;
  return Ints({1, 2, 4}) + Be(dictionary_at) + Be(uint64_t{dictionary.size()}) +
         Be(uint64_t{44 + dictionary.size()}) + Be(uint64_t{inverted.size()}) + dictionary +
         inverted;
}

void CheckLegacy(Planted& planted, const std::string& bytes, std::vector<int32_t> values) {
  const auto index = OpenLegacyInverted(View(bytes), DataType::kInt, planted.log);
  if (!index) return;
  LegacyRows rows(*index, planted.log);
  ColumnVector vector(DataType::kInt);
  for (const int32_t value : values) vector.Append(Value::Int(value));
  rows.Take({0, static_cast<uint32_t>(values.size()), {}, {}, &vector});
  if (rows.whole()) CheckLegacyBitmaps(View(bytes), *index, 3, rows.rows(), planted.log);
}

TEST_CASE("the layout of 1.5 is compared with the raw values") {
  Planted planted;
  CheckLegacy(planted, Legacy({1, 2}), {9, 7, 7});
  planted.None();
  CheckLegacy(planted, Legacy({1}), {9, 7, 7});
  planted.One(64, "all 2 rows of dictId 0, found 1");
  CheckLegacy(planted, Legacy({1, 2}), {9, 7, 8});
  planted.One(0, "none for value 2");
  CheckLegacy(planted, Legacy({1, 2}, 45), {9, 7, 7});
  planted.One(12, "two parts that tile [44,");
  std::string bad = Legacy({1, 2});
  bad.replace(44, 4, Be(9));
  CheckLegacy(planted, bad, {9, 7, 7});
  planted.One(48, "dictId 1 above 9, found 9");
}

}  // namespace
}  // namespace trellis::verify
