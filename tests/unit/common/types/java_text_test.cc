#include "common/types/java_text.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace trellis {
namespace {

TEST_CASE("a double prints as Java prints it") {
  CHECK(JavaDoubleText(0.0) == "0.0");
  CHECK(JavaDoubleText(-0.0) == "-0.0");
  CHECK(JavaDoubleText(1.0) == "1.0");
  CHECK(JavaDoubleText(0.1) == "0.1");
  CHECK(JavaDoubleText(100.25) == "100.25");
  CHECK(JavaDoubleText(9999999.0) == "9999999.0");
  CHECK(JavaDoubleText(1e7) == "1.0E7");
  CHECK(JavaDoubleText(12345678.5) == "1.23456785E7");
  CHECK(JavaDoubleText(0.001) == "0.001");
  CHECK(JavaDoubleText(0.00099) == "9.9E-4");
  CHECK(JavaDoubleText(std::numeric_limits<double>::max()) == "1.7976931348623157E308");
  CHECK(JavaDoubleText(std::numeric_limits<double>::denorm_min()) == "4.9E-324");
  CHECK(JavaDoubleText(2e23) == "2.0E23");  // JDK 18 and before: 1.9999999999999998E23
  CHECK(JavaDoubleText(std::nan("")) == "NaN");
  CHECK(JavaDoubleText(HUGE_VAL) == "Infinity");
  CHECK(JavaDoubleText(-HUGE_VAL) == "-Infinity");
}

TEST_CASE("a float prints in its own shortest digits") {
  CHECK(JavaFloatText(0.1F) == "0.1");
  CHECK(JavaFloatText(3.4028235e38F) == "3.4028235E38");
  CHECK(JavaFloatText(16777216.0F) == "1.6777216E7");
  CHECK(JavaFloatText(std::numeric_limits<float>::denorm_min()) == "1.4E-45");
}

TEST_CASE("printed doubles parse back to the same bits") {
  std::mt19937_64 random(42);
  for (int round = 0; round < 10000; ++round) {
    const uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) {
      CAPTURE(bits);
      CHECK(ParseJavaDouble(JavaDoubleText(value)) == value);
    }
  }
}

TEST_CASE("parsing takes what Java takes and refuses what it refuses") {
  CHECK(ParseJavaDouble(" 1.5 ") == 1.5);
  CHECK(ParseJavaDouble("1e3") == 1000.0);
  CHECK(ParseJavaDouble("1.5d") == 1.5);
  CHECK(ParseJavaDouble("-Infinity") == -HUGE_VAL);
  CHECK(std::isnan(ParseJavaDouble("NaN").value()));
  for (const char* text : {"", " ", "abc", "1.5x", "1,5", "--1", "inf", "nan", "1e"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseJavaDouble(text).has_value());
  }
  CHECK(ParseJavaFloat("0.1") == 0.1F);
}

TEST_CASE("integers parse in range and without anything else") {
  CHECK(ParseJavaInt("-2147483648") == std::numeric_limits<int32_t>::min());
  CHECK(ParseJavaInt("+7") == 7);
  CHECK(ParseJavaLong("9223372036854775807") == std::numeric_limits<int64_t>::max());
  for (const char* text : {"", "-", "+", " 1", "1 ", "1.0", "0x10", "2147483648", "1L"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseJavaInt(text).has_value());
  }
  CHECK_FALSE(ParseJavaLong("9223372036854775808").has_value());
}

TEST_CASE("narrowing saturates and turns NaN into 0") {
  CHECK(JavaDoubleToInt(1e10) == std::numeric_limits<int32_t>::max());
  CHECK(JavaDoubleToInt(-1e10) == std::numeric_limits<int32_t>::min());
  CHECK(JavaDoubleToInt(-1.9) == -1);
  CHECK(JavaDoubleToInt(std::nan("")) == 0);
  CHECK(JavaDoubleToLong(1e19) == std::numeric_limits<int64_t>::max());
  CHECK(JavaDoubleToLong(-1e19) == std::numeric_limits<int64_t>::min());
  CHECK(JavaDoubleToLong(std::nan("")) == 0);
}

TEST_CASE("hex is written in lower case and read in any") {
  CHECK(HexText(std::string_view("\x00\xAB\x7f", 3)) == "00ab7f");
  CHECK(ParseHex("00ABab") == std::string("\x00\xAB\xAB", 3));
  CHECK(ParseHex("") == std::string());
  CHECK_FALSE(ParseHex("abc").has_value());
  CHECK_FALSE(ParseHex("0g").has_value());
}

}  // namespace
}  // namespace trellis
