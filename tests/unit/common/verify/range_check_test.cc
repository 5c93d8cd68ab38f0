#include "common/verify/range_check.h"

#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

TEST_CASE("a range index of another version is a fault") {
  Planted planted;
  const RangeShape shape{DataType::kInt, true, false, 3};
  CHECK_FALSE(OpenRangeCheck(View(Ints({3})), shape, planted.log));
  planted.One(0, "version 1 or 2, found 3");
  CHECK_FALSE(OpenRangeCheck(View("ab"), shape, planted.log));
  planted.One(0, "found 2 bytes");
}

}  // namespace
}  // namespace trellis::verify
