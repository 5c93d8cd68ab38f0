#include "common/encode/decimal_order.h"

#include <catch2/catch.hpp>

namespace trellis::encode {
namespace {

std::string Stored(std::string_view text) { return BigDecimal::FromText(text).value().ToBytes(); }

std::string KeyOf(std::string_view stored) {
  std::string key = "of the last decimal";
  REQUIRE(DecimalKey(stored, key).ok());
  return key;
}

TEST_CASE("equal numbers have one key, whatever their scale", "[decimal_order]") {
  const std::vector<std::vector<std::string>> equal = {
      {"1", "1.0", "1.00", "10E-1"},
      {"0", "0.0", "0E5", "-0.000"},
      {"-12300", "-1.23E4", "-12300.0000000000000000000000000"},
      // Without its zero the first fits 8 bytes, with it does not.
      {"1234567890123456789", "1234567890123456789.0", "123456789012345678900E-2"},
      {"9223372036854775808", "9223372036854775808.0"},  // 2^63 does not fit at all
      {"1E30", "1000000000000000000000000000000"},
  };
  for (size_t i = 0; i < equal.size(); ++i) {
    const std::string key = KeyOf(Stored(equal[i][0]));
    for (const std::string& text : equal[i]) {
      INFO(text);
      CHECK(KeyOf(Stored(text)) == key);
    }
    for (size_t j = 0; j < i; ++j) CHECK(KeyOf(Stored(equal[j][0])) != key);
  }
  CHECK(KeyOf(Stored("1")) != KeyOf(Stored("-1")));
  CHECK(KeyOf(Stored("1")) != KeyOf(Stored("10")));
  CHECK(KeyOf(Stored("1E-9000")) != KeyOf(Stored("1E9000")));
}

TEST_CASE("a number in more bytes than it needs is the same number", "[decimal_order]") {
  using namespace std::string_literals;
  CHECK(KeyOf("\0\1\0\0\0\0\0\0\0\0\0\x05"s) == KeyOf(Stored("0.5")));
  CHECK(KeyOf("\0\1\xFF\xFF\xFF\xFB"s) == KeyOf(Stored("-0.5")));
}

TEST_CASE("bytes that are no decimal are refused", "[decimal_order]") {
  std::string key;
  CHECK(DecimalKey("", key).code() == StatusCode::kInvalidArgument);
  CHECK(DecimalKey("\1\2", key).code() == StatusCode::kInvalidArgument);
  CHECK(DecimalKey(std::string(8193, '\1'), key).code() == StatusCode::kInvalidArgument);
}

TEST_CASE("decimals are ordered as numbers", "[decimal_order]") {
  const std::vector<std::string> ascending = {"-1E100", "-11",   "-9.5", "-0.001", "0.00",
                                              "1E-900", "0.001", "0.01", "9",      "9.05",
                                              "10",     "99999", "1E5",  "1E900"};
  std::vector<std::string> stored;
  for (auto text = ascending.rbegin(); text != ascending.rend(); ++text)
    stored.push_back(Stored(*text));
  std::swap(stored[3], stored[7]);
  const std::vector<uint32_t> order =
      OrderOfDecimals(std::vector<std::string_view>(stored.begin(), stored.end()));
  for (size_t i = 0; i < ascending.size(); ++i) CHECK(stored[order[i]] == Stored(ascending[i]));
}

}  // namespace
}  // namespace trellis::encode
