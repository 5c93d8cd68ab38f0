#include "common/types/order_key.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace trellis {
namespace {

template <class T>
using Limits = std::numeric_limits<T>;

// Every pair of `values` keeps CompareValues' order, and equal values have equal keys.
void Monotone(const std::vector<Value>& values) {
  for (const Value& a : values) {
    const auto key_a = OrderKey(a);
    REQUIRE(key_a.has_value());
    for (const Value& b : values) {
      const int order = CompareValues(a, b);
      const auto key_b = OrderKey(b);
      INFO(ValueToText(a) << " and " << ValueToText(b));
      if (order < 0) CHECK(*key_a <= *key_b);
      if (order > 0) CHECK(*key_a >= *key_b);
      if (order == 0) CHECK(*key_a == *key_b);
    }
  }
}

// Random text of `alphabet`'s pieces: many shared prefixes, lengths around the key's eight bytes.
std::string RandomText(std::mt19937_64& random, const std::vector<std::string>& alphabet) {
  std::string text;
  for (size_t left = random() % 12; left > 0; --left) text += alphabet[random() % alphabet.size()];
  return text;
}

}  // namespace

TEST_CASE("whole numbers are their own keys, whatever their width") {
  CHECK(OrderKey(Value::Int(-7)) == -7);
  CHECK(OrderKey(Value::Int(Limits<int32_t>::min())) == Limits<int32_t>::min());
  CHECK(OrderKey(Value::Long(Limits<int64_t>::max())) == Limits<int64_t>::max());
  CHECK(OrderKey(Value::Long(42)) == OrderKey(Value::Int(42)));
  CHECK(OrderKey(Value::Boolean(true)) == 1);
  CHECK(OrderKey(Value::Boolean(false)) == 0);
  CHECK(OrderKey(Value::Timestamp(1'600'000'000'000)) == 1'600'000'000'000);
}

TEST_CASE("nulls, arrays, NaN and types without an order of keys have none") {
  CHECK_FALSE(OrderKey(Value()));
  CHECK_FALSE(OrderKey(Value::Null(DataType::kInt)));
  CHECK_FALSE(OrderKey(Value::Array(DataType::kInt, {Value::Int(1)})));
  CHECK_FALSE(OrderKey(Value::Double(std::nan(""))));
  CHECK_FALSE(OrderKey(Value::Float(-std::nanf(""))));
  for (const DataType type : {DataType::kBytes, DataType::kBigDecimal, DataType::kJson,
                              DataType::kUuid, DataType::kMap, DataType::kOpenStruct})
    CHECK_FALSE(OrderKey(Value::Bytes(type, std::string(16, '\0'))));
}

TEST_CASE("floating keys are strictly ordered, from one infinity to the other") {
  const double inf = Limits<double>::infinity();
  const std::vector<double> ascending = {-inf,
                                         -Limits<double>::max(),
                                         -1.5,
                                         -Limits<double>::min(),
                                         -Limits<double>::denorm_min(),
                                         -0.0,
                                         0.0,
                                         Limits<double>::denorm_min(),
                                         1,
                                         std::nextafter(1.0, 2.0),
                                         Limits<double>::max(),
                                         inf};
  for (size_t i = 1; i < ascending.size(); ++i)
    CHECK(*OrderKey(Value::Double(ascending[i - 1])) < *OrderKey(Value::Double(ascending[i])));
}

TEST_CASE("a FLOAT has the key of the DOUBLE it is equal to") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    CHECK(OrderKey(Value::Float(value)) == OrderKey(Value::Double(value)));
  }
  CHECK(OrderKey(Value::Float(-0.0f)) == OrderKey(Value::Double(-0.0)));
}

TEST_CASE("number keys keep the order of values") {
  std::mt19937_64 random(11);
  std::vector<Value> doubles = {Value::Double(0.0), Value::Double(-0.0)};
  std::vector<Value> floats = {Value::Float(0.0f), Value::Float(-0.0f)};
  std::vector<Value> longs = {Value::Long(Limits<int64_t>::min()), Value::Long(0)};
  while (doubles.size() < 150) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isnan(value)) doubles.push_back(Value::Double(value));
    doubles.push_back(Value::Double(static_cast<double>(static_cast<int>(random() % 100)) - 50));
    const auto single = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(single)) floats.push_back(Value::Float(single));
    longs.push_back(Value::Long(static_cast<int64_t>(random() >> random() % 64)));
  }
  Monotone(doubles);
  Monotone(floats);
  Monotone(longs);
}

TEST_CASE("text keys keep the order of UTF-16 code units, supplementary characters included") {
  std::mt19937_64 random(13);
  // ASCII, NUL, two and three bytes, U+E000, U+FF21, U+FFFF, U+10000, U+1F600, U+10FFFF.
  const std::vector<std::string> valid = {"a",
                                          "b",
                                          std::string(1, '\0'),
                                          "\xc3\xa9",
                                          "\xe2\x82\xac",
                                          "\xed\x9f\xbf",
                                          "\xee\x80\x80",
                                          "\xef\xbc\xa1",
                                          "\xef\xbf\xbf",
                                          "\xf0\x90\x80\x80",
                                          "\xf0\x9f\x98\x80",
                                          "\xf4\x8f\xbf\xbf"};
  const std::vector<std::string> invalid = {"\xee", "\xef", "\xf0", "\xf4", "\xf5", "\xff", "\x80"};
  for (const auto& alphabet : {valid, invalid}) {
    std::vector<Value> texts = {Value::String(""), Value::String(std::string(9, '\xff'))};
    while (texts.size() < 250) texts.push_back(Value::String(RandomText(random, alphabet)));
    Monotone(texts);
  }
  CHECK(*OrderKey(Value::String("\xf0\x9f\x98\x80")) < *OrderKey(Value::String("\xef\xbc\xa1")));
  CHECK(*OrderKey(Value::String("\x7f")) < *OrderKey(Value::String("\x80")));
  CHECK(*OrderKey(Value::String("")) == Limits<int64_t>::min());
}

TEST_CASE("a text key is its first eight bytes: longer text shares its key") {
  CHECK(OrderKey(Value::String("abcdefgh")) == OrderKey(Value::String("abcdefghi")));
  CHECK(*OrderKey(Value::String("abcdefg")) < *OrderKey(Value::String("abcdefgh")));
}

}  // namespace trellis
