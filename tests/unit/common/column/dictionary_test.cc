#include "common/column/dictionary.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "common/types/big_decimal.h"

namespace trellis::column {
namespace {

using namespace std::string_literals;

template <class T>
std::string Packed(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    StoreBigEndian(values[i], reinterpret_cast<uint8_t*>(bytes.data()) + i * sizeof(T));
  }
  return bytes;
}

// A `.vl;` dictionary.
std::string WithOffsets(const std::vector<std::string>& values) {
  std::vector<int32_t> head = {1, static_cast<int32_t>(values.size()), 16};
  int32_t at = 16 + 4 * (static_cast<int32_t>(values.size()) + 1);
  std::string data;
  head.push_back(at);
  for (const std::string& value : values) {
    data += value;
    head.push_back(at + static_cast<int32_t>(data.size()));
  }
  return ".vl;" + Packed(head) + data;
}

std::string Padded(const std::vector<std::string>& values, size_t width) {
  std::string bytes;
  for (const std::string& value : values) bytes += value + std::string(width - value.size(), '\0');
  return bytes;
}

TEST_CASE("every value of a numeric dictionary is found at its id") {
  const std::string bytes = Packed<int64_t>({INT64_MIN, -5, 0, 7, INT64_MAX});
  const auto dictionary = OpenDictionary(AsBytes(bytes), DataType::kLong, 5, 0).value();
  REQUIRE(dictionary->size() == 5);
  for (uint32_t id = 0; id < 5; ++id) {
    const Value value = dictionary->At(id).value();
    CHECK(dictionary->Find(value) == id);
    CHECK(dictionary->LowerBound(value) == id);
  }
  CHECK(dictionary->LowerBound(Value::Long(1)) == 3);
  CHECK(dictionary->Find(Value::Long(1)) == std::nullopt);
  CHECK(dictionary->LowerBound(Value::Long(INT64_MIN)) == 0);
}

TEST_CASE("doubles follow Java's order: minus zero below zero, NaN last") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string bytes = Packed<double>({-inf, -0.0, 0.0, inf, nan});
  const auto dictionary = OpenDictionary(AsBytes(bytes), DataType::kDouble, 5, 0).value();
  CHECK(dictionary->Find(Value::Double(-0.0)) == 1U);
  CHECK(dictionary->Find(Value::Double(0.0)) == 2U);
  CHECK(dictionary->Find(Value::Double(nan)) == 4U);
  CHECK(dictionary->LowerBound(Value::Double(1)) == 3);
}

TEST_CASE("gathering gives one value an id, in the order asked") {
  const std::string bytes = Packed<int32_t>({10, 20, 30});
  const auto dictionary = OpenDictionary(AsBytes(bytes), DataType::kInt, 3, 0).value();
  ColumnVector out;
  REQUIRE(dictionary->Gather(std::vector<uint32_t>{2, 0, 2}, out).ok());
  CHECK(out.values<int32_t>() == std::vector<int32_t>{30, 10, 30});
  CHECK(dictionary->Gather(std::vector<uint32_t>{0, 3}, out).IsCorrupt());
  CHECK(dictionary->At(3).status().IsCorrupt());
}

TEST_CASE("text is the same in padded and in offset dictionaries, in UTF-16 order") {
  // U+1F600 sorts below U+FF21: its first UTF-16 unit is a surrogate.
  const std::vector<std::string> values = {"", "a", "ab", "b", "\xF0\x9F\x98\x80", "\xEF\xBC\xA1"};
  for (const std::string& bytes : {Padded(values, 4), WithOffsets(values)}) {
    const auto dictionary = OpenDictionary(AsBytes(bytes), DataType::kString, 6, 4).value();
    std::vector<uint32_t> ids = {0, 1, 2, 3, 4, 5};
    ColumnVector out;
    REQUIRE(dictionary->Gather(ids, out).ok());
    for (const uint32_t id : ids) {
      CHECK(out.values<std::string_view>()[id] == values[id]);
      CHECK(dictionary->Find(Value::String(values[id])) == id);
    }
    CHECK(dictionary->LowerBound(Value::String("aa")) == 2);
    CHECK(dictionary->Find(Value::String("c")) == std::nullopt);
  }
}

TEST_CASE("bytes of a padded dictionary keep their NULs") {
  const std::string bytes = "a\0b\0"s;
  const auto dictionary = OpenDictionary(AsBytes(bytes), DataType::kBytes, 2, 2).value();
  CHECK(dictionary->At(0).value().bytes() == "a\0"s);
  CHECK(dictionary->Find(Value::Bytes(DataType::kBytes, "b\0"s)) == 1U);
}

TEST_CASE("the dictionary of the one empty string has no bytes") {
  const auto dictionary = OpenDictionary({}, DataType::kString, 1, 0).value();
  CHECK(dictionary->At(0).value().bytes().empty());
  CHECK(dictionary->Find(Value::String("")) == 0U);
  CHECK(OpenDictionary({}, DataType::kString, 2, 0).status().IsCorrupt());
}

TEST_CASE("decimals are found by value, whatever their scale") {
  std::vector<std::string> values;
  for (const char* text : {"-10", "0.5", "1.10", "1e3"})
    values.push_back(BigDecimal::FromText(text)->ToBytes());
  const std::string bytes = WithOffsets(values);
  const auto dictionary = OpenDictionary(AsBytes(bytes), DataType::kBigDecimal, 4, 0).value();
  const auto decimal = [](const char* text) {
    return Value::Bytes(DataType::kBigDecimal, BigDecimal::FromText(text)->ToBytes());
  };
  CHECK(dictionary->Find(decimal("1.1")) == 2U);
  CHECK(dictionary->Find(decimal("1000")) == 3U);
  CHECK(dictionary->Find(decimal("1.2")) == std::nullopt);
  CHECK(dictionary->LowerBound(decimal("0")) == 1);
  CHECK(OpenDictionary(AsBytes(WithOffsets({"ab"})), DataType::kBigDecimal, 1, 0)
            .status()
            .IsCorrupt());
}

TEST_CASE("a dictionary of the wrong size or with damaged offsets is refused") {
  CHECK(
      OpenDictionary(AsBytes(Packed<int32_t>({1, 2})), DataType::kInt, 3, 0).status().IsCorrupt());
  CHECK(OpenDictionary(AsBytes("abcd"s), DataType::kString, 3, 2).status().IsCorrupt());
  CHECK(OpenDictionary(AsBytes("abcd"s), DataType::kUuid, 1, 4).status().IsCorrupt());
  CHECK(OpenDictionary({}, DataType::kMap, 0, 0).status().IsCorrupt());
  const std::string good = WithOffsets({"a", "bc"});
  REQUIRE(OpenDictionary(AsBytes(good), DataType::kString, 2, 0).ok());
  CHECK(OpenDictionary(AsBytes(good), DataType::kString, 3, 0).status().IsCorrupt());
  CHECK(OpenDictionary(AsBytes(good + "x"), DataType::kString, 2, 0).status().IsCorrupt());
  for (size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK(OpenDictionary(AsBytes(good).first(size), DataType::kString, 2, 0).status().IsCorrupt());
  }
  for (const size_t at : {12, 15, 16, 19, 23, 27}) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] + 5);
    CAPTURE(at);
    CHECK(OpenDictionary(AsBytes(damaged), DataType::kString, 2, 0).status().IsCorrupt());
  }
}

TEST_CASE("text filled up with percent signs is bare only where that is asked for (F8)") {
  // As writers of that time sorted it: "lynda 2.0" before "lynda%%%%".
  const std::string bytes =
      "100%%%%%%"
      "lynda 2.0"
      "lynda%%%%"
      "zoe%%%%%%";
  const auto as_is = OpenDictionary(AsBytes(bytes), DataType::kString, 4, 9).value();
  CHECK(as_is->At(2)->bytes() == "lynda%%%%");
  CHECK(as_is->Find(Value::String("lynda")) == std::nullopt);

  const auto dictionary =
      OpenDictionary(AsBytes(bytes), DataType::kString, 4, 9, DictionaryPadding::kPercent).value();
  const std::vector<std::string> texts = {"100", "lynda 2.0", "lynda", "zoe"};
  ColumnVector out;
  REQUIRE(dictionary->Gather(std::vector<uint32_t>{0, 1, 2, 3}, out).ok());
  for (uint32_t id = 0; id < 4; ++id) {
    CHECK(out.values<std::string_view>()[id] == texts[id]);
    CHECK(dictionary->Find(Value::String(texts[id])) == id);
  }
  CHECK(dictionary->Find(Value::String("lynda%%%%")) == std::nullopt);
  CHECK(dictionary->Find(Value::String("lyn")) == std::nullopt);
  CHECK(dictionary->Find(Value::String("lynda 2.0 and more")) == std::nullopt);
}

TEST_CASE("bytes, numbers and offset dictionaries keep their percent signs") {
  const auto percent = DictionaryPadding::kPercent;
  const std::string slots = "ab%%", text = WithOffsets({"a%"});
  CHECK(OpenDictionary(AsBytes(slots), DataType::kBytes, 1, 4, percent).value()->At(0)->bytes() ==
        "ab%%");
  CHECK(OpenDictionary(AsBytes(slots), DataType::kInt, 1, 0, percent).value()->At(0)->int32() ==
        0x61622525);
  CHECK(OpenDictionary(AsBytes(text), DataType::kString, 1, 2, percent).value()->At(0)->bytes() ==
        "a%");
  CHECK(OpenDictionary({}, DataType::kString, 1, 0, percent).value()->At(0)->bytes().empty());
}

TEST_CASE("entries whose offsets change after opening are refused") {
  std::string bytes = WithOffsets({"a", "b"});
  const auto dictionary = OpenDictionary(AsBytes(bytes), DataType::kString, 2, 0).value();
  bytes.replace(20, 4, "\xff\xff\xff\xff");
  ColumnVector out;
  CHECK(dictionary->Gather(std::vector<uint32_t>{0, 1}, out).IsCorrupt());
  CHECK(dictionary->At(1).status().IsCorrupt());
  CHECK_FALSE(dictionary->Find(Value::String("b")));

  std::string ids = WithOffsets({std::string(16, 'a'), std::string(16, 'b')});
  const auto uuids = OpenDictionary(AsBytes(ids), DataType::kUuid, 2, 0).value();
  ids[23] = static_cast<char>(ids[23] - 1);  // the first is one byte shorter, the second longer
  CHECK(uuids->Gather(std::vector<uint32_t>{0}, out).IsCorrupt());
  CHECK(uuids->At(1).status().IsCorrupt());
}

}  // namespace
}  // namespace trellis::column
