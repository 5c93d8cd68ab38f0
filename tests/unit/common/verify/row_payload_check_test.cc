#include "common/verify/row_payload_check.h"

#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

RowFacts Check(Planted& planted, const RowShape& shape, const std::string& row) {
  RowFacts facts;
  CheckRowPayload(View(row), shape, 3, 50, facts, planted.log);
  return facts;
}

TEST_CASE("multi-value rows hold as many values as they say") {
  Planted planted;
  const RowShape stored{DataType::kInt, true, format::RowCount::kStored};
  CHECK(Check(planted, stored, Ints({2, 7, 8})).longest_row == 2);
  const RowShape implied{DataType::kLong, true, format::RowCount::kImplied};
  CHECK(Check(planted, implied, std::string(24, 'x')).value_count == 3);
  const RowShape text{DataType::kString, true, format::RowCount::kStored};
  CHECK(Check(planted, text, Ints({2, 1, 2}) + "abb").value_count == 2);
  planted.None();
  Check(planted, stored, Ints({3, 7, 8}));
  planted.One(50, "row 3 of whole values");
  Check(planted, implied, "abc");
  planted.One(50, "row 3 of whole values");
  Check(planted, text, Ints({2, 1, 2}) + "abbc");
  planted.One(50, "row 3 of values that fill it");
}

TEST_CASE("a MAP frame's entries end with it") {
  Planted planted;
  const RowShape map{DataType::kMap};
  const std::string good = Ints({1, 1}) + "k" + Ints({2}) + "17";
  Check(planted, map, good);
  Check(planted, map, Ints({0}));
  planted.None();
  Check(planted, map, good + "x");
  planted.One(50, "row 3, a MAP frame, found 1 bytes behind the last entry");
  Check(planted, map, good.substr(0, good.size() - 1));
  planted.One(50, "2 bytes wanted");
  Check(planted, map, Ints({-1}));
  planted.One(50, "found -1 entries");
}

TEST_CASE("single values are looked at") {
  Planted planted;
  Check(planted, {DataType::kUuid}, "short");
  planted.One(50, "a UUID of 16 bytes");
}

}  // namespace
}  // namespace trellis::verify
