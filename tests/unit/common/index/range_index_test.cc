#include "common/index/range_index.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/unit/common/index/range_index_bytes.h"

namespace trellis::index {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("ordered bits order as numbers do, with NaN at the bottom and one zero") {
  const std::vector<double> ascending = {-kInf,
                                         std::numeric_limits<double>::lowest(),
                                         -1.5,
                                         -std::numeric_limits<double>::min(),
                                         -5e-324,
                                         0.0,
                                         5e-324,
                                         1.0,
                                         std::numeric_limits<double>::max(),
                                         kInf};
  for (size_t i = 0; i + 1 < ascending.size(); ++i) {
    CAPTURE(ascending[i]);
    CHECK(OrderedBits(ascending[i]) < OrderedBits(ascending[i + 1]));
  }
  // The values of the format's description.
  CHECK(OrderedBits(kNaN) == 0);
  CHECK(OrderedBits(-kInf) == 0);
  CHECK(OrderedBits(kInf) == ~uint64_t{0});
  CHECK(OrderedBits(-0.0) == uint64_t{1} << 63);
  CHECK(OrderedBits(0.0) == uint64_t{1} << 63);
  CHECK(OrderedBits(-0.0f) == uint32_t{1} << 31);
  CHECK(OrderedBits(std::numeric_limits<float>::infinity()) == ~uint32_t{0});
  CHECK(OrderedBits(1.0f) == (0x3F800000u ^ 0x80000000u));
  CHECK(OrderedBits(-1.0f) == ~0xBF800000u);
}

// One predicate over raw values, asked of the index and of each value with the machine's own
// comparison.
template <class T>
void CheckRange(const RangeIndex& index, const std::vector<T>& values, const ValueRange& range,
                T (*number)(const Value&)) {
  const auto answer = index.Values(range);
  REQUIRE(answer.status().message() == "");
  CHECK_FALSE(answer->certain.intersect(answer->possible));
  Roaring expected;
  for (uint32_t row = 0; row < values.size(); ++row) {
    bool in = true;
    if (range.lower) {
      const T bound = number(*range.lower);
      in &= range.lower_inclusive ? values[row] >= bound : values[row] > bound;
    }
    if (range.upper) {
      const T bound = number(*range.upper);
      in &= range.upper_inclusive ? values[row] <= bound : values[row] < bound;
    }
    // Without bounds every value lies in the range, but NaN, which lies in none.
    if (values[row] != values[row]) in = false;
    if (in) expected.add(row);
  }
  CHECK(answer->certain.isSubset(expected));
  CHECK(expected.isSubset(answer->certain | answer->possible));
  if (index.version() == 2 && std::is_integral_v<T>) CHECK(answer->possible.isEmpty());
}

template <class T>
void CheckAllRanges(const RangeIndex& index, const std::vector<T>& values,
                    const std::vector<T>& bounds, Value (*value)(T), T (*number)(const Value&)) {
  for (const T low : bounds) {
    for (const int inclusive : {0, 1, 2, 3}) {
      ValueRange range;
      range.lower = value(low);
      range.lower_inclusive = inclusive & 1;
      CAPTURE(low, inclusive);
      CheckRange(index, values, range, number);
      ValueRange below;
      below.upper = range.lower;
      below.upper_inclusive = inclusive & 1;
      CheckRange(index, values, below, number);
      for (const T high : bounds) {
        CAPTURE(high);
        range.upper = value(high);
        range.upper_inclusive = inclusive & 2;
        CheckRange(index, values, range, number);
      }
    }
  }
  CheckRange(index, values, ValueRange(), number);
}

int64_t LongOf(const Value& v) { return v.int64(); }
int32_t IntOf(const Value& v) { return v.int32(); }
double DoubleOf(const Value& v) { return v.float64(); }
float FloatOf(const Value& v) { return v.float32(); }

RangeIndexShape RawShape(DataType type, size_t documents) {
  return {type, false, false, static_cast<uint32_t>(documents), 0};
}

TEST_CASE(
    "a bit-sliced index answers every range over LONG, also where differences leave 63 bits") {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const std::vector<std::vector<int64_t>> columns = {
      {kMin, kMax, 0, -1, 1, kMin + 1, kMax - 1}, {5}, {-7, -7, -7}, {100, 163, 131, 100, 164}};
  for (const auto& values : columns) {
    const int64_t least = *std::min_element(values.begin(), values.end());
    std::vector<uint64_t> keys;
    for (const int64_t v : values)
      keys.push_back(static_cast<uint64_t>(v) - static_cast<uint64_t>(least));
    const std::string bytes = BitSlicedBytes(keys, least);
    const auto index =
        RangeIndex::Open(AsBytes(bytes), RawShape(DataType::kLong, values.size())).value();
    CHECK(index->Check().message() == "");
    CheckAllRanges<int64_t>(*index, values,
                            {kMin, kMin + 1, -8, -7, -1, 0, 1, 99, 100, 131, 132, 164, 165, kMax},
                            Value::Long, LongOf);
  }
}

TEST_CASE("a bit-sliced index answers every range over INT") {
  const std::vector<int32_t> values = {INT32_MIN, -3, 0, 0, 8, INT32_MAX};
  std::vector<uint64_t> keys;
  for (const int32_t v : values)
    keys.push_back(static_cast<uint64_t>(int64_t{v} - int64_t{INT32_MIN}));
  const std::string bytes = BitSlicedBytes(keys, INT32_MIN);
  const auto index =
      RangeIndex::Open(AsBytes(bytes), RawShape(DataType::kInt, values.size())).value();
  CheckAllRanges<int32_t>(*index, values, {INT32_MIN, INT32_MIN + 1, -3, -2, 0, 8, INT32_MAX},
                          Value::Int, IntOf);
}

TEST_CASE("zeros are one number, denormals are others, NaN lies in no range") {
  const std::vector<double> values = {0.0, -0.0, 5e-324, 1, -5e-324, kNaN, -kInf, kInf, -2};
  std::vector<uint64_t> keys;
  for (const double v : values) keys.push_back(OrderedBits(v));
  const std::string bytes = BitSlicedBytes(keys);
  const auto index =
      RangeIndex::Open(AsBytes(bytes), RawShape(DataType::kDouble, values.size())).value();
  ValueRange above_zero;
  above_zero.lower = Value::Double(0);
  above_zero.lower_inclusive = false;
  const auto answer = index->Values(above_zero).value();
  CHECK(answer.possible.isEmpty());
  CHECK(answer.certain == Roaring::bitmapOf(3, 2u, 3u, 7u));
  CheckAllRanges<double>(*index, values, {-kInf, -2, -5e-324, -0.0, 0.0, 5e-324, 1, 3, kInf, kNaN},
                         Value::Double, DoubleOf);
  // -Infinity and NaN have one key: they must be looked at, and nothing else.
  CHECK(index->Values(ValueRange()).value().possible == Roaring::bitmapOf(2, 5u, 6u));
}

TEST_CASE("FLOAT has keys of 32 bits") {
  constexpr float kBig = std::numeric_limits<float>::max();
  const std::vector<float> values = {0.05f,
                                     0.050000004f,
                                     -0.0f,
                                     kBig,
                                     -kBig,
                                     std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::infinity()};
  std::vector<uint64_t> keys;
  for (const float v : values) keys.push_back(OrderedBits(v));
  const std::string bytes = BitSlicedBytes(keys);
  CHECK(bytes[15] == 32);
  const auto index =
      RangeIndex::Open(AsBytes(bytes), RawShape(DataType::kFloat, values.size())).value();
  CheckAllRanges<float>(*index, values, {0.05f, 0.050000004f, 0.f, -0.f, kBig, -kBig, 7.f},
                        Value::Float, FloatOf);
}

// Over dictIds: each of `keys` is one.
void CheckDictIds(const std::string& bytes, const std::vector<uint64_t>& keys, uint32_t cardinality,
                  std::mt19937& random) {
  const RangeIndexShape shape{DataType::kString, true, false, static_cast<uint32_t>(keys.size()),
                              cardinality};
  const auto index = RangeIndex::Open(AsBytes(bytes), shape);
  REQUIRE(index.status().message() == "");
  CHECK((*index)->Check().message() == "");
  for (int round = 0; round < 24; ++round) {
    uint32_t first = random() % cardinality, last = random() % cardinality;
    if (round % 4 != 0 && first > last) std::swap(first, last);
    if (round == 1) first = 0;
    if (round == 2) last = cardinality - 1;
    if (round == 3) last = first;
    if (round == 5) last = UINT32_MAX;
    const auto answer = (*index)->DictIds(first, last).value();
    Roaring expected;
    for (uint32_t row = 0; row < keys.size(); ++row)
      if (keys[row] >= first && keys[row] <= last) expected.add(row);
    CAPTURE(first, last);
    CHECK(answer.possible.isEmpty());
    CHECK(answer.certain == expected);
  }
}

TEST_CASE("blocks of 65,536 rows in bitmap, run and array containers are read") {
  std::mt19937 random(5);
  for (const size_t rows : {size_t{65535}, size_t{65536}, size_t{65537}, size_t{140000}}) {
    for (const int shape : {0, 1, 2}) {
      std::vector<uint64_t> keys(rows);
      for (size_t row = 0; row < rows; ++row) {
        keys[row] = shape == 0   ? random() % 1000
                    : shape == 1 ? row * 1000 / rows  // runs
                                 : (random() % 500 == 0 ? random() % 1000 : 999);
      }
      keys[0] = 999;
      CAPTURE(rows, shape);
      CheckDictIds(BitSlicedBytes(keys), keys, 1000, random);
    }
  }
}

TEST_CASE("any kind of container may hold any slice, and a block may lack slices") {
  std::mt19937 random(6);
  std::vector<uint64_t> keys(70000);
  for (size_t row = 0; row < keys.size(); ++row)
    keys[row] = row < 65536 ? 7 : random() % 8;  // the first block has no slice at all
  for (const int kind : {0, 1, 2}) CheckDictIds(BitSlicedBytes(keys, 0, kind), keys, 8, random);
}

TEST_CASE("one visit gives back every document's key") {
  std::vector<uint64_t> keys(66000);
  for (size_t row = 0; row < keys.size(); ++row) keys[row] = row * 7 % 513;
  const std::string bytes = BitSlicedBytes(keys);
  const auto index =
      RangeIndex::Open(AsBytes(bytes), {DataType::kInt, true, false, 66000, 513}).value();
  uint32_t next = 0;
  CHECK(index
            ->Visit([&](const RangeIndex::Entry& entry) -> Status {
              REQUIRE(entry.document == next++);
              REQUIRE(entry.low == index->KeyOf(static_cast<uint32_t>(keys[entry.document])));
              REQUIRE(entry.high == entry.low);
              return {};
            })
            .ok());
  CHECK(next == keys.size());
  CHECK(index->Visit([](const auto&) { return Status::Internal("enough"); }).message() == "enough");
}

TEST_CASE("an index of another segment, column or version is refused") {
  const std::string bytes = BitSlicedBytes({3, 1, 2}, 0);
  const RangeIndexShape shape{DataType::kInt, true, false, 3, 4};
  REQUIRE(RangeIndex::Open(AsBytes(bytes), shape).ok());
  auto other = shape;
  other.document_count = 4;
  CHECK(RangeIndex::Open(AsBytes(bytes), other).status().IsCorrupt());
  other = shape;
  other.multi_value = true;
  CHECK(RangeIndex::Open(AsBytes(bytes), other).status().code() == StatusCode::kUnimplemented);
  CHECK(RangeIndex::Open(AsBytes(bytes), RawShape(DataType::kString, 3)).status().code() ==
        StatusCode::kUnimplemented);
  CHECK(RangeIndex::Open(AsBytes(BitSlicedBytes({3, 1, 2}, 5)), shape).status().IsCorrupt());
  CHECK(RangeIndex::Open(AsBytes(bytes), RawShape(DataType::kDouble, 3)).ok());
  std::string later = bytes;
  later[3] = 3;
  CHECK(RangeIndex::Open(AsBytes(later), shape).status().code() == StatusCode::kUnimplemented);
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    const auto cut = RangeIndex::Open(AsBytes(bytes).first(size), shape);
    if (cut.ok()) CHECK((*cut)->DictIds(1, 2).status().IsCorrupt());
    if (cut.ok()) CHECK((*cut)->Check().IsCorrupt());
  }
  CHECK(RangeIndex::Open(AsBytes(bytes + "x"), shape).value()->Check().IsCorrupt());
}

TEST_CASE(
    "a slice that is out of order or holds rows past the segment's end is found by the walk") {
  const RangeIndexShape shape{DataType::kInt, true, false, 3, 2};
  const auto with_slice = [](const std::string& slice) {
    return BitSlicedBytes({1, 1, 1}).substr(0, 22) + "\1" + slice;
  };
  const auto check = [&](const std::string& slice) {
    const std::string bytes = with_slice(slice);
    return RangeIndex::Open(AsBytes(bytes), shape).value()->Check();
  };
  CHECK(check(SliceBytes({0, 2}, 2)).ok());
  CHECK(check(SliceBytes({0, 2}, 0)).ok());
  CHECK(check(SliceBytes({0, 1, 2}, 1)).ok());
  CHECK(check(SliceBytes({2, 0}, 2)).IsCorrupt());
  CHECK(check(SliceBytes({1, 1}, 2)).IsCorrupt());
  for (const int kind : {0, 1, 2}) CHECK(check(SliceBytes({1, 3}, kind)).IsCorrupt());
  std::string bits = SliceBytes({0, 2}, 0);
  bits[1] = 3;
  CHECK(check(bits).IsCorrupt());
  std::string kind = SliceBytes({0, 2}, 2);
  kind[0] = 3;
  CHECK(check(kind).IsCorrupt());
  // Whatever a slice says, an answer stays within the segment.
  const std::string past = with_slice(SliceBytes({1, 60000}, 2));
  const auto index = RangeIndex::Open(AsBytes(past), shape).value();
  CHECK(index->DictIds(0, 0).value().certain == Roaring::bitmapOf(1, 1u));
  CHECK(index->DictIds(1, 1).value().certain == Roaring::bitmapOf(2, 0u, 2u));
}

}  // namespace
}  // namespace trellis::index
