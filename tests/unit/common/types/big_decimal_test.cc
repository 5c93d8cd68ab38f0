#include "common/types/big_decimal.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace trellis {
namespace {

std::string Plain(std::string_view text) {
  const Result<BigDecimal> parsed = BigDecimal::FromText(text);
  return parsed.ok() ? parsed.value().ToPlainText() : "refused";
}

TEST_CASE("decimal text keeps its scale and loses its exponent") {
  CHECK(Plain("1.10") == "1.10");
  CHECK(Plain("-0.05") == "-0.05");
  CHECK(Plain("1.5E3") == "1500");
  CHECK(Plain("15e-4") == "0.0015");
  CHECK(Plain("+7") == "7");
}

TEST_CASE("text that is no number, or one without end, is refused") {
  for (const char* text : {"", ".", "abc", "1.2.3", "1e", "NaN", "1e100000", "--1"}) {
    CAPTURE(text);
    CHECK(Plain(text) == "refused");
  }
  CHECK(Plain(std::string(20000, '9')) == "refused");
}

TEST_CASE("stored bytes are a scale and a big-endian two's complement") {
  const BigDecimal value = BigDecimal::FromText("-1.28").value();
  CHECK(value.ToBytes() == std::string("\x00\x02\x80", 3));
  CHECK(BigDecimal::FromText("1.28").value().ToBytes() == std::string("\x00\x02\x00\x80", 4));
  CHECK(BigDecimal::FromText("0").value().ToBytes() == std::string("\x00\x00\x00", 3));
}

TEST_CASE("what was stored reads back, whatever its size and sign") {
  for (const char* text :
       {"0", "-1", "255", "256", "-128", "-129", "0.001", "123456789012345678901234567890.12345",
        "-99999999999999999999999999.9"}) {
    CAPTURE(text);
    const Result<BigDecimal> read =
        BigDecimal::FromBytes(BigDecimal::FromText(text).value().ToBytes());
    REQUIRE(read.ok());
    CHECK(read.value().ToPlainText() == text);
  }
}

TEST_CASE("stored bytes without a value are refused") {
  CHECK_FALSE(BigDecimal::FromBytes("").ok());
  CHECK_FALSE(BigDecimal::FromBytes(std::string("\x00", 1)).ok());
  CHECK_FALSE(BigDecimal::FromBytes(std::string("\x00\x02", 2)).ok());
}

TEST_CASE("values compare by what they are worth, not by their scale") {
  const auto compare = [](std::string_view a, std::string_view b) {
    return BigDecimal::FromText(a).value().Compare(BigDecimal::FromText(b).value());
  };
  CHECK(compare("1.0", "1.00") == 0);
  CHECK(compare("-1", "0.5") < 0);
  CHECK(compare("100000000000000000000.1", "100000000000000000000") > 0);
}

TEST_CASE("comparing agrees with comparing what both are at one scale") {
  // Around every power of ten, where the number of digits decides.
  const std::vector<std::string> digits = {"0",   "1",   "5",   "9",    "10",   "11",         "99",
                                           "100", "101", "999", "1000", "9999", "1234567890", "7"};
  std::vector<BigDecimal> values;
  for (const std::string& text : digits) {
    for (int scale = -3; scale <= 4; ++scale) {
      values.emplace_back(BigDecimal::Integer(text), scale);
      values.emplace_back(-BigDecimal::Integer(text), scale);
    }
  }
  const auto at_scale_4 = [](const BigDecimal& value) {
    return BigDecimal::Integer(
        value.unscaled() * boost::multiprecision::pow(BigDecimal::Integer(10),
                                                      static_cast<unsigned>(4 - value.scale())));
  };
  for (const BigDecimal& a : values) {
    for (const BigDecimal& b : values) {
      const int want = at_scale_4(a).compare(at_scale_4(b));
      const int got = a.Compare(b);
      CAPTURE(a.ToPlainText(), b.ToPlainText());
      CHECK(((got > 0) - (got < 0)) == ((want > 0) - (want < 0)));
    }
  }
}

TEST_CASE("numbers whose scales lie far apart are compared without writing them out") {
  // A million of these would take hours, each with 65,535 digits.
  const BigDecimal huge(1, -32768);
  const BigDecimal tiny(9, 32767);
  int larger = 0;
  for (int i = 0; i < 1'000'000; ++i) larger += huge.Compare(tiny) > 0;
  CHECK(larger == 1'000'000);
  CHECK(tiny.Compare(huge) < 0);
  CHECK(BigDecimal(-1, -32768).Compare(BigDecimal(-9, 32767)) < 0);
  CHECK(BigDecimal(0, -32768).Compare(tiny) < 0);
  CHECK(BigDecimal(0, -32768).Compare(BigDecimal(0, 32767)) == 0);
}

TEST_CASE("sums, differences and products are exact") {
  const BigDecimal a = BigDecimal::FromText("0.1").value();
  const BigDecimal b = BigDecimal::FromText("0.20").value();
  CHECK(a.Add(b).ToPlainText() == "0.30");
  CHECK(a.Subtract(b).ToPlainText() == "-0.10");
  CHECK(a.Multiply(b).ToPlainText() == "0.020");
}

TEST_CASE("a double becomes the decimal of its shortest text") {
  CHECK(BigDecimal::FromDouble(0.1).ToPlainText() == "0.1");
  CHECK(BigDecimal::FromLong(-42).ToPlainText() == "-42");
  CHECK(BigDecimal::FromText("0.1").value().ToDouble() == 0.1);
  CHECK(BigDecimal::FromText("123456789012345678901234567890").value().ToDouble() ==
        123456789012345678901234567890.0);
}

}  // namespace
}  // namespace trellis
