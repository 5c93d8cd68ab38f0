#include "common/verify/raw_forward_check.h"

#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

TEST_CASE("the container is told by the column and by its version") {
  Planted planted;
  const std::string ints = Ints({5, 1, 4, 4, 2, 0, 28}) + Be(int64_t{36}) + Ints({7, 8});
  CHECK(CheckRawForward(View(ints), DataType::kInt, false, 2, planted.log).value_count == 2);
  planted.None();
  // The same bytes as a column of text are the other container, whose table ends elsewhere.
  CheckRawForward(View(ints), DataType::kString, false, 2, planted.log);
  CHECK(planted.list.fault_count() > 0);
  planted.list.Take();
  CheckRawForward(View("abc"), DataType::kString, false, 2, planted.log);
  planted.One(0, "version 0 in 3 bytes");
}

TEST_CASE("rows of numbers count themselves up to version 4 only") {
  Planted planted;
  const auto file = [](int32_t version, const std::string& row) {
    return Be(version) + Ints({64, 0, 24}) + Le(uint32_t{0}) + Le(uint32_t{0}) + Le(1) + Le(8) +
           row;
  };
  const auto check = [&](const std::string& bytes) {
    return CheckRawForward(View(bytes), DataType::kInt, true, 1, planted.log).value_count;
  };
  CHECK(check(file(4, Ints({2, 7, 8}))) == 2);
  CHECK(check(file(5, Ints({2, 7, 8}))) == 3);
  planted.None();
  check(file(4, Ints({3, 7, 8})));
  planted.One(24, "row 0 of whole values");
}

TEST_CASE("CLP is for text only") {
  Planted planted;
  CheckRawForward(View("CLP.v2xxxx"), DataType::kBytes, false, 1, planted.log);
  planted.One(0, "CLP for single-value STRING columns only");
}

}  // namespace
}  // namespace trellis::verify
