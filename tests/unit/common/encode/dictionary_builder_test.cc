#include "common/encode/dictionary_builder.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "common/types/big_decimal.h"
#include "common/types/value_order.h"
#include "text_column.h"

namespace trellis::encode {
namespace {

template <class T>
ColumnVector Column(DataType type, const std::vector<T>& values) {
  ColumnVector column(type);
  column.values<T>() = values;
  column.SetSize(values.size());
  return column;
}

struct Built {
  ColumnVector sorted;
  std::vector<uint32_t> ids;  // of what was added
};

Built Build(const ColumnVector& values) {
  Built built;
  const auto builder = DictionaryBuilder::Create(values.type());
  REQUIRE(builder->Add(values, built.ids).ok());
  std::vector<uint32_t> rank;
  builder->Finish(built.sorted, rank);
  REQUIRE(rank.size() == built.sorted.size());
  for (uint32_t& id : built.ids) id = rank[id];
  CHECK(built.sorted.type() == values.type());
  return built;
}

std::vector<std::string> TextsOf(const ColumnVector& column) {
  const auto& values = column.values<std::string_view>();
  return {values.begin(), values.end()};
}

TEST_CASE("integers are sorted as signed numbers", "[dictionary_builder]") {
  const auto built = Build(Column<int32_t>(DataType::kInt, {5, 5, INT32_MIN, -1, INT32_MAX, 5, 0}));
  CHECK(built.sorted.values<int32_t>() == std::vector<int32_t>{INT32_MIN, -1, 0, 5, INT32_MAX});
  CHECK(built.ids == std::vector<uint32_t>{3, 3, 0, 1, 4, 3, 2});
  const auto times = Build(Column<int64_t>(DataType::kTimestamp, {9, INT64_MIN, -3}));
  CHECK(times.sorted.values<int64_t>() == std::vector<int64_t>{INT64_MIN, -3, 9});
}

TEST_CASE("floating numbers are told apart by their bits, but for NaN", "[dictionary_builder]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto doubles =
      Build(Column<double>(DataType::kDouble, {0.0, std::nan("1"), -0.0, kInfinity, -kInfinity,
                                               -std::nan("2"), 1e-320, -2.5}));
  CHECK(doubles.ids == std::vector<uint32_t>{3, 6, 2, 5, 0, 6, 4, 1});
  const auto& sorted = doubles.sorted.values<double>();
  CHECK(std::signbit(sorted[2]));
  CHECK(!std::signbit(sorted[3]));
  CHECK(std::isnan(sorted[6]));
  const auto floats =
      Build(Column<float>(DataType::kFloat, {0.0F, std::nanf("1"), -0.0F, 1.0F, -1.0F, NAN}));
  CHECK(floats.ids == std::vector<uint32_t>{2, 4, 1, 3, 0, 4});
}

TEST_CASE("text is sorted by UTF-16 code units", "[dictionary_builder]") {
  // U+1F600 is a pair of surrogates in UTF-16, below U+E000 and U+FF5E; U+0800 is below both.
  const std::vector<std::string> ascending = {"",
                                              "a",
                                              "a\xE0\xA0\x80",
                                              "a\xF0\x9F\x98\x80",
                                              "a\xF0\x9F\x98\x80z",
                                              "a\xEE\x80\x80",
                                              "a\xEF\xBD\x9E",
                                              "b"};
  std::vector<std::string> mixed(ascending.rbegin(), ascending.rend());
  std::swap(mixed[0], mixed[4]);
  CHECK(TextsOf(Build(Texts(DataType::kString, mixed)).sorted) == ascending);
  // The same behind a start that all share, and differing past the first 8 bytes.
  std::vector<std::string> longer;
  for (const std::string& text : mixed) longer.push_back("http://host/" + text);
  for (const std::string& text : mixed) longer.push_back("http://host/123456789" + text);
  const std::vector<std::string> sorted = TextsOf(Build(Texts(DataType::kString, longer)).sorted);
  REQUIRE(sorted.size() == 16);
  for (size_t i = 1; i < sorted.size(); ++i)
    CHECK(CompareStoredBytes(DataType::kString, sorted[i - 1], sorted[i]) < 0);
}

TEST_CASE("bytes are unsigned, a shorter start first", "[dictionary_builder]") {
  using namespace std::string_literals;
  const std::vector<std::string> ascending = {""s,     "\0"s,   "\0\0"s, "\x7F"s,
                                              "\x80"s, "\xEE"s, "\xF0"s, "\xFF"s};
  const std::vector<std::string> mixed(ascending.rbegin(), ascending.rend());
  CHECK(TextsOf(Build(Texts(DataType::kBytes, mixed)).sorted) == ascending);
}

TEST_CASE("equal decimals of several scales are one value", "[dictionary_builder]") {
  const auto stored = [](const char* text) { return BigDecimal::FromText(text).value().ToBytes(); };
  const auto built = Build(Texts(DataType::kBigDecimal, {stored("1.00"), stored("-7"), stored("1"),
                                                         stored("1E3"), stored("1.0")}));
  CHECK(built.ids == std::vector<uint32_t>{1, 0, 1, 2, 1});
  CHECK(TextsOf(built.sorted) ==
        std::vector<std::string>{stored("-7"), stored("1.00"), stored("1E3")});
}

TEST_CASE("many values in several batches keep their ids", "[dictionary_builder]") {
  std::mt19937_64 random(3);
  const auto builder = DictionaryBuilder::Create(DataType::kLong);
  std::vector<int64_t> all;
  std::vector<uint32_t> provisional, ids;
  std::set<int64_t> expected;
  for (int batch = 0; batch < 20; ++batch) {
    std::vector<int64_t> values(5000);
    for (int64_t& value : values) value = static_cast<int64_t>(random() % 40000) - 20000;
    REQUIRE(builder->Add(Column(DataType::kLong, values), ids).ok());
    provisional.insert(provisional.end(), ids.begin(), ids.end());
    all.insert(all.end(), values.begin(), values.end());
    expected.insert(values.begin(), values.end());
  }
  CHECK(builder->size() == expected.size());
  ColumnVector sorted;
  std::vector<uint32_t> rank;
  builder->Finish(sorted, rank);
  const auto& values = sorted.values<int64_t>();
  CHECK(values == std::vector<int64_t>(expected.begin(), expected.end()));
  size_t wrong = 0;
  for (size_t i = 0; i < all.size(); ++i) wrong += values[rank[provisional[i]]] != all[i];
  CHECK(wrong == 0);
}

// The greatest keys of all, among any number of others.
TEST_CASE("the greatest numbers keep their ids", "[dictionary_builder]") {
  for (int32_t count = 1; count < 600; count += 7) {
    std::vector<int32_t> ints = {INT32_MAX};
    std::vector<int64_t> longs = {INT64_MAX};
    std::vector<std::string> bytes = {std::string(8, '\xFF'), std::string(9, '\xFF')};
    for (int32_t i = count; i > 0; --i) {
      ints.push_back(i * 77 % 1000);
      longs.push_back(int64_t{i} * 77 % 1000);
      bytes.push_back(std::string(1, static_cast<char>(i)));
    }
    const auto of_ints = Build(Column(DataType::kInt, ints));
    const auto of_longs = Build(Column(DataType::kLong, longs));
    const auto of_bytes = Build(Texts(DataType::kBytes, bytes));
    for (size_t i = 0; i < ints.size(); ++i) {
      CHECK(of_ints.sorted.values<int32_t>()[of_ints.ids[i]] == ints[i]);
      CHECK(of_longs.sorted.values<int64_t>()[of_longs.ids[i]] == longs[i]);
    }
    for (size_t i = 0; i < bytes.size(); ++i)
      CHECK(of_bytes.sorted.values<std::string_view>()[of_bytes.ids[i]] == bytes[i]);
  }
}

TEST_CASE("the values outlive the builder and what was added", "[dictionary_builder]") {
  ColumnVector sorted;
  std::vector<uint32_t> rank, ids;
  {
    const auto builder = DictionaryBuilder::Create(DataType::kString);
    REQUIRE(builder->Add(Texts(DataType::kString, {"zebra", "ant", "zebra"}), ids).ok());
    REQUIRE(builder->Add(Texts(DataType::kString, {}), ids).ok());
    CHECK(ids.empty());
    REQUIRE(builder->Add(ColumnVector::Constant(Value::String("ant"), 70), ids).ok());
    CHECK(ids == std::vector<uint32_t>{1});
    builder->Finish(sorted, rank);
  }
  CHECK(TextsOf(sorted) == std::vector<std::string>{"ant", "zebra"});
  CHECK(rank == std::vector<uint32_t>{1, 0});
}

TEST_CASE("a dictionary has limits", "[dictionary_builder]") {
  std::vector<uint32_t> ids;
  const auto code = [&](const ColumnVector& values, DictionaryLimits limits) {
    return DictionaryBuilder::Create(values.type(), limits)->Add(values, ids).code();
  };
  const auto numbers = Column<int32_t>(DataType::kInt, {1, 2, 3, 3, 2});
  CHECK(code(numbers, {3, 12}) == StatusCode::kOk);
  CHECK(code(numbers, {2, 12}) == StatusCode::kResourceExhausted);
  CHECK(code(numbers, {3, 11}) == StatusCode::kResourceExhausted);
  const auto texts = Texts(DataType::kString, {"abc", "de", "abc"});
  CHECK(code(texts, {2, 5}) == StatusCode::kOk);
  CHECK(code(texts, {1, 5}) == StatusCode::kResourceExhausted);
  CHECK(code(texts, {2, 4}) == StatusCode::kResourceExhausted);
  CHECK(code(Texts(DataType::kUuid, {"abc"}), {}) == StatusCode::kInvalidArgument);
  CHECK(code(Texts(DataType::kBigDecimal, {"a"}), {}) == StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace trellis::encode
