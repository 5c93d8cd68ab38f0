#include "common/types/value_order.h"

#include <catch2/catch.hpp>
#include <limits>

#include "common/types/big_decimal.h"

namespace trellis {
namespace {

TEST_CASE("numbers order by value, with Java's places for NaN and the zeros") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(CompareNumbers(1, 2) < 0);
  CHECK(CompareNumbers(int64_t{9007199254740993}, int64_t{9007199254740992}) > 0);
  CHECK(CompareNumbers(-0.0, 0.0) < 0);
  CHECK(CompareNumbers(0.0, -0.0) > 0);
  CHECK(CompareNumbers(-0.0f, -0.0f) == 0);
  CHECK(CompareNumbers(nan, infinity) > 0);
  CHECK(CompareNumbers(infinity, nan) < 0);
  CHECK(CompareNumbers(nan, nan) == 0);
  CHECK(CompareNumbers(2.5, 2.5) == 0);
}

TEST_CASE("stored bytes order as their type does") {
  const auto decimal = [](std::string_view text) {
    return BigDecimal::FromText(text).value().ToBytes();
  };
  CHECK(CompareStoredBytes(DataType::kBigDecimal, decimal("9"), decimal("10.5")) < 0);
  CHECK(CompareStoredBytes(DataType::kBigDecimal, decimal("1.0"), decimal("1.00")) == 0);
  CHECK(CompareStoredBytes(DataType::kBytes, "\xff", "\x01") > 0);
  CHECK(CompareStoredBytes(DataType::kBytes, "a", "ab") < 0);
  // U+1F600 is a surrogate pair, below U+FF21 in UTF-16 and above it as bytes.
  CHECK(CompareStoredBytes(DataType::kString, "\xf0\x9f\x98\x80", "\xef\xbc\xa1") < 0);
  CHECK(CompareStoredBytes(DataType::kBytes, "\xf0\x9f\x98\x80", "\xef\xbc\xa1") > 0);
}

}  // namespace
}  // namespace trellis
