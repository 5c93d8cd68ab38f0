#include <catch2/catch.hpp>
#include <limits>

#include "common/index/range_index.h"
#include "tests/unit/common/index/range_index_bytes.h"

namespace trellis::index {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("ranges inside the bounds are certain, those at the bounds possible, others neither") {
  // Three ranges: [0, 10), [10, 20), [20, 29].
  const std::vector<std::vector<int32_t>> rows = {{0}, {5}, {9}, {10}, {19}, {20}, {29}};
  const std::string bytes = BucketedBytes<int32_t>("INT", {0, 10, 20, 29}, rows);
  const RangeIndexShape shape{DataType::kInt, false, false, 7, 0};
  const auto index = RangeIndex::Open(AsBytes(bytes), shape).value();
  CHECK(index->version() == 1);
  CHECK(index->Check().message() == "");
  const auto ask = [&](int32_t low, bool low_in, int32_t high, bool high_in) {
    return index->Values({Value::Int(low), Value::Int(high), low_in, high_in}).value();
  };
  CHECK(ask(5, true, 19, true).certain == Roaring::bitmapOf(2, 3u, 4u));
  CHECK(ask(5, true, 19, true).possible == Roaring::bitmapOf(3, 0u, 1u, 2u));
  CHECK(ask(-1, false, 10, false).certain == Roaring::bitmapOf(3, 0u, 1u, 2u));
  CHECK(ask(-1, false, 10, false).possible.isEmpty());
  CHECK(ask(20, true, 29, true).certain == Roaring::bitmapOf(2, 5u, 6u));
  CHECK(ask(20, true, 29, false).possible == Roaring::bitmapOf(2, 5u, 6u));
  CHECK(ask(20, false, 40, true).possible == Roaring::bitmapOf(2, 5u, 6u));
  CHECK(ask(30, true, 40, true).possible.isEmpty());
  CHECK(ask(12, true, 11, true).possible.isEmpty());
  CHECK(index->Values(ValueRange()).value().certain.cardinality() == 7);
}

TEST_CASE("a document of several values is certain if any of its values is") {
  const std::vector<std::vector<int32_t>> rows = {{1, 25}, {5, 6}, {25}, {1}};
  const std::string bytes = BucketedBytes<int32_t>("INT", {0, 10, 20, 29}, rows);
  const auto index =
      RangeIndex::Open(AsBytes(bytes), {DataType::kString, true, true, 4, 30}).value();
  CHECK(index->Check().message() == "");
  const auto answer = index->DictIds(3, 40).value();
  CHECK(answer.certain == Roaring::bitmapOf(2, 0u, 2u));
  CHECK(answer.possible == Roaring::bitmapOf(2, 1u, 3u));
}

template <class T>
void CheckExact(const std::string& type, const std::vector<T>& starts, const std::vector<T>& values,
                const std::vector<T>& bounds, Value (*make)(T), DataType data_type) {
  std::vector<std::vector<T>> rows;
  for (const T value : values) rows.push_back({value});
  const std::string bytes = BucketedBytes<T>(type, starts, rows);
  const auto index = RangeIndex::Open(AsBytes(bytes), {data_type, false, false,
                                                       static_cast<uint32_t>(rows.size()), 0})
                         .value();
  CHECK(index->Check().message() == "");
  for (const T low : bounds) {
    for (const T high : bounds) {
      for (const int inclusive : {0, 1, 2, 3}) {
        const ValueRange range{make(low), make(high), (inclusive & 1) != 0, (inclusive & 2) != 0};
        const auto answer = index->Values(range).value();
        Roaring expected;
        for (uint32_t row = 0; row < values.size(); ++row) {
          const T v = values[row];
          if ((inclusive & 1 ? v >= low : v > low) && (inclusive & 2 ? v <= high : v < high))
            expected.add(row);
        }
        CAPTURE(low, high, inclusive);
        CHECK(answer.certain.isSubset(expected));
        CHECK(expected.isSubset(answer.certain | answer.possible));
        CHECK_FALSE(answer.certain.intersect(answer.possible));
      }
    }
  }
}

TEST_CASE("no answer of ranges of LONG, FLOAT or DOUBLE leaves out or claims a document wrongly") {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  CheckExact<int64_t>("LONG", {kMin, -5, 0, kMax}, {kMin, -6, -5, -1, 0, 1, kMax},
                      {kMin, -6, -5, -1, 0, 1, kMax}, Value::Long, DataType::kLong);
  // -0.0 sorts below 0.0 and lies in the range before, although it is equal to that range's end.
  const std::vector<double> values = {-kInf, -2, -0.0, 0.0, 5e-324, 1, 7, kInf, kNaN, kNaN};
  CheckExact<double>("DOUBLE", {-kInf, -1, 0.0, 1, kNaN}, values,
                     {-kInf, -2, -1, -0.0, 0.0, 5e-324, 1, 8, kInf, kNaN}, Value::Double,
                     DataType::kDouble);
  CheckExact<double>("DOUBLE", {-kInf, 1, kNaN, kNaN}, values, {-kInf, 0, 1, 8, kInf, kNaN},
                     Value::Double, DataType::kDouble);
  CheckExact<float>("FLOAT", {-1, 0.05f, 0.06f}, {-1, 0.05f, 0.050000004f, 0.06f, -0.0f},
                    {-1, 0, 0.05f, 0.050000004f, 0.06f}, Value::Float, DataType::kFloat);
}

TEST_CASE("documents come with the bounds of their range") {
  const std::vector<std::vector<int32_t>> rows = {{0}, {5}, {25}};
  const std::string bytes = BucketedBytes<int32_t>("INT", {0, 10, 29}, rows);
  const auto index = RangeIndex::Open(AsBytes(bytes), {DataType::kInt, false, false, 3, 0}).value();
  std::vector<RangeIndex::Entry> entries;
  CHECK(index
            ->Visit([&](const RangeIndex::Entry& entry) {
              entries.push_back(entry);
              return Status::Ok();
            })
            .ok());
  REQUIRE(entries.size() == 3);
  for (const auto& [row, low, high] : {std::tuple{0u, 0, 9}, {1u, 0, 9}, {2u, 10, 29}}) {
    CHECK(entries[row].document == row);
    CHECK(entries[row].low == index->KeyOf(Value::Int(low)));
    CHECK(entries[row].high == index->KeyOf(Value::Int(high)));
  }
  CHECK(index->KeyOf(Value::Int(-1)) < index->KeyOf(Value::Int(0)));
}

TEST_CASE("a bucketed index with a wrong type, count, place or document is refused or found") {
  const std::vector<std::vector<int32_t>> rows = {{0}, {5}, {12}};
  const std::string bytes = BucketedBytes<int32_t>("INT", {0, 10, 12}, rows);
  const RangeIndexShape shape{DataType::kInt, false, false, 3, 0};
  REQUIRE(RangeIndex::Open(AsBytes(bytes), shape).value()->Check().ok());
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(RangeIndex::Open(AsBytes(bytes).first(size), shape).status().IsCorrupt());
  }
  auto other = shape;
  other.type = DataType::kLong;
  CHECK(RangeIndex::Open(AsBytes(bytes), other).status().IsCorrupt());
  other = shape;
  other.document_count = 2;  // document 2 is past the end then
  CHECK(RangeIndex::Open(AsBytes(bytes), other).value()->Check().IsCorrupt());
  other.document_count = 4;  // the last is in no range
  CHECK(RangeIndex::Open(AsBytes(bytes), other).value()->Check().IsCorrupt());
  constexpr size_t kCountAt = 11, kSecondStartAt = 19, kSecondOffsetAt = 35;
  for (const auto& [at, value] :
       {std::pair<size_t, uint32_t>{kCountAt, 0}, {kCountAt, 0xFFFFFFFF}, {kCountAt, 0x7FFFFFFF}}) {
    std::string damaged = bytes;
    damaged.replace(at, 4, BigEndianBytes(value));
    CAPTURE(at, value);
    CHECK(RangeIndex::Open(AsBytes(damaged), shape).status().IsCorrupt());
  }
  std::string damaged = bytes;
  damaged.replace(kSecondStartAt, 4, BigEndianBytes<int32_t>(13));
  CHECK(RangeIndex::Open(AsBytes(damaged), shape).value()->Check().IsCorrupt());
  damaged = bytes;
  damaged.replace(kSecondOffsetAt, 8, BigEndianBytes<int64_t>(-1));
  const auto opened = RangeIndex::Open(AsBytes(damaged), shape);
  REQUIRE(opened.ok());
  CHECK((*opened)->Values(ValueRange()).status().IsCorrupt());
  // A document in two ranges of a single-value column.
  const std::string twice = BucketedBytes<int32_t>("INT", {0, 10, 12}, {{0, 11}, {5}, {12}});
  CHECK(RangeIndex::Open(AsBytes(twice), shape).value()->Check().IsCorrupt());
}

}  // namespace
}  // namespace trellis::index
