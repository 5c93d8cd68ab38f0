#include "common/aggregate/hyperloglog.h"

#include <bit>

#include "tests/unit/common/aggregate/aggregate_builders.h"

namespace trellis::aggregate {
namespace {

int32_t HashOf(std::string_view bytes) { return static_cast<int32_t>(HyperLogLogHash(bytes)); }
int32_t HashOf(int64_t value) { return static_cast<int32_t>(HyperLogLogHash(value)); }

// DISTINCTCOUNTRAWHLL of the real Pinot over the twelve strings cat0..cat11.
constexpr std::string_view kTwelveCats =
    "00000008000000ac00000000000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "000008000400000000010000002000000000000000000000000000108000000000000000000000000400000000"
    "000000000000008001000000000000000000000000000000000000000000000000000000000600000000000040";

TEST_CASE("hashes are the ones of Pinot's library") {
  CHECK(HashOf("") == -1285986640);
  CHECK(HashOf("a") == 713507990);
  CHECK(HashOf("ab") == -1797532438);
  CHECK(HashOf("abc") == -1465591341);
  CHECK(HashOf("\xc3\xa9\xe4\xb8\xad") == 580227354);
  CHECK(HashOf(int64_t{1}) == 1527037976);
  CHECK(HashOf(int64_t{-1}) == -2037786185);
  CHECK(HashOf(int64_t{1} << 40) == -937224101);
  CHECK(HashOf(std::bit_cast<int64_t>(1.5)) == -1688758945);
  CHECK(HashOf(int64_t{std::bit_cast<int32_t>(1.5f)}) == -1457489491);
}

TEST_CASE("ten thousand ids count as the 11060 that Pinot answers") {
  std::vector<int32_t> ids(10'000);
  for (int32_t i = 0; i < 10'000; ++i) ids[static_cast<size_t>(i)] = i;
  const Aggregation hll("distinctcounthll", {{DataType::kInt, false}});
  CHECK(hll.Run({Ints(ids)})[0] == Value::Long(11060));
  CHECK(hll.RunMerged({Ints(ids)}, 5'000)[0] == Value::Long(11060));
}

TEST_CASE("the registers of twelve strings are Pinot's") {
  std::vector<std::string> cats;
  for (int i = 0; i < 12; ++i) cats.push_back(fmt::format("cat{}", i));
  const Value raw =
      Aggregation("distinctcountrawhll", {{DataType::kString, false}}).Run({Strings(cats)})[0];
  CHECK(raw.bytes() == kTwelveCats);
}

TEST_CASE("a column of serialised sketches is merged, not hashed") {
  const auto sketch = [](int32_t from, int32_t to) {
    HyperLogLog hll(8);
    for (int32_t i = from; i < to; ++i) hll.AddHash(HyperLogLogHash(int64_t{i}));
    std::string bytes;
    hll.Serialize(bytes);
    return Value::Bytes(DataType::kBytes, bytes);
  };
  const ColumnVector sketches =
      Column({DataType::kBytes, false}, {sketch(0, 5'000), sketch(5'000, 10'000)});
  CHECK(Aggregation("distinctcounthll", {{DataType::kBytes, false}}).Run({sketches})[0] ==
        Value::Long(11060));
}

TEST_CASE("sketches of two sizes merge only when one is empty") {
  HyperLogLog small(4);
  HyperLogLog large(8);
  small.AddHash(1);
  CHECK(large.Merge(small).ok());
  HyperLogLog other(8);
  other.AddHash(2);
  CHECK(other.Merge(large).IsCorrupt());
}

TEST_CASE("a sketch whose lengths disagree is corrupt") {
  HyperLogLog hll(8);
  hll.AddHash(12345);
  std::string bytes;
  hll.Serialize(bytes);
  REQUIRE(HyperLogLog::Parse(AsBytes(bytes)).ok());
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK(
        HyperLogLog::Parse(AsBytes(std::string_view(bytes).substr(0, size))).status().IsCorrupt());
  }
  for (const size_t at : {size_t{0}, size_t{3}, size_t{7}}) {
    std::string broken = bytes;
    broken[at] = '\x1e';
    CHECK(HyperLogLog::Parse(AsBytes(broken)).status().IsCorrupt());
  }
}

TEST_CASE("log2m outside of Trellis' range is refused") {
  for (const int32_t log2m : {-1, 0, 21, 31}) {
    CHECK_FALSE(ResolveAggregate(
                    {"distinctcounthll", {{DataType::kInt, false}}, {Value::Int(log2m)}, false})
                    .ok());
  }
}

}  // namespace
}  // namespace trellis::aggregate
