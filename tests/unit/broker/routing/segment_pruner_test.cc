#include "broker/routing/segment_pruner.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "common/types/order_key.h"
#include "tests/unit/broker/catalog/announced.h"

namespace trellis::broker {
namespace {

using plan::Filter;
using plan::Predicate;
using Kind = Predicate::Kind;
constexpr uint32_t kUnknown = wire::PartitionColumn::kUnknown;

// Ten segments. n: INT [10 i, 10 i + 9], without a zone in 9. d: DOUBLE around zero. s: STRING.
// k: Modulo 4 of a LONG, i % 4, unknown in 8, another count in 7.
class Fixture {
 public:
  Fixture() {
    const uint32_t server = AddAlive(state_, "a:1");
    std::vector<std::pair<uint32_t, std::string>> names;
    for (uint32_t i = 0; i < 10; ++i) names.emplace_back(i, "s_" + std::to_string(i));
    wire::SegmentBatch batch = BatchOf(names);
    std::vector<std::pair<int64_t, int64_t>> numbers, doubles, texts;
    wire::PartitionColumn four{"k", "Modulo", 4, {}};
    wire::PartitionColumn three{"k", "Modulo", 3, {}};
    for (int i = 0; i < 10; ++i) {
      numbers.emplace_back(10 * i, 10 * i + 9);
      doubles.emplace_back(Key(Value::Double(kDoubles[i])), Key(Value::Double(kDoubles[i])));
      texts.emplace_back(Key(Value::String(kTexts[i])), Key(Value::String(kTexts[i])));
      four.partition.push_back(i < 7 || i == 9 ? i % 4 : kUnknown);
      three.partition.push_back(i == 7 ? 1 : kUnknown);
    }
    batch.zones = {ZonesOf("n", numbers), ZonesOf("d", doubles), ZonesOf("s", texts)};
    batch.zones[0].present[9] = 0;
    batch.partitions = {four, three};
    REQUIRE(state_.Apply(server, FullUpdate(1, 1, batch)).ok());
    table_ = state_.Build()->tables.at("t_OFFLINE");
  }

  std::vector<uint32_t> Prune(const Filter& filter) const {
    const Roaring found = PruneSegments(table_->segments->prune_index(), filter);
    std::vector<uint32_t> ids(found.cardinality());
    found.toUint32Array(ids.data());
    return ids;
  }
  const PruneIndex& index() const { return table_->segments->prune_index(); }

  static constexpr double kDoubles[10] = {-2.5, -1, -0.0, 0.0, 1, 2.5, 1e300, 5, 6, 7};
  static constexpr const char* kTexts[10] = {"",  "a", "abcdefgh", "abcdefghi", "abcdefgz",
                                             "b", "c", "d",        "e",         "f"};

 private:
  static int64_t Key(const Value& value) { return OrderKey(value).value(); }
  CatalogState state_;
  std::shared_ptr<const Table> table_;
};

Predicate On(const char* column, DataType type, Kind kind, std::vector<Value> values = {}) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.subject = plan::Expression::Column(column, {type, false});
  predicate.values = std::move(values);
  return predicate;
}
Filter Number(Kind kind, std::vector<int32_t> values) {
  std::vector<Value> typed;
  for (const int32_t value : values) typed.push_back(Value::Int(value));
  return Filter::Of(On("n", DataType::kInt, kind, std::move(typed)));
}
Filter Range(const char* column, std::optional<Value> lower, bool lower_inclusive,
             std::optional<Value> upper, bool upper_inclusive) {
  Predicate predicate = On(column,
                           lower   ? lower->type()
                           : upper ? upper->type()
                                   : DataType::kInt,
                           Kind::kRange);
  predicate.lower = std::move(lower);
  predicate.upper = std::move(upper);
  predicate.lower_inclusive = lower_inclusive;
  predicate.upper_inclusive = upper_inclusive;
  return Filter::Of(predicate);
}
Filter Equals(const char* column, Value value) {
  return Filter::Of(On(column, value.type(), Kind::kEqual, {value}));
}

using List = std::vector<uint32_t>;
const List kAll = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

}  // namespace

TEST_CASE("equality and IN keep the segments whose bounds meet the values") {
  const Fixture f;
  CHECK(f.Prune(Number(Kind::kEqual, {34})) == List{3, 9});
  CHECK(f.Prune(Number(Kind::kEqual, {-1})) == List{9});
  CHECK(f.Prune(Number(Kind::kIn, {12, 31})) == List{1, 2, 3, 9});  // the hull of the list
  CHECK(f.Prune(Number(Kind::kIn, {70})) == List{7, 9});
}

TEST_CASE("ranges keep what they touch, and open bounds of whole numbers are sharp") {
  const Fixture f;
  const Value ten = Value::Int(10);
  const Value twenty = Value::Int(20);
  CHECK(f.Prune(Range("n", ten, true, twenty, true)) == List{1, 2, 9});
  CHECK(f.Prune(Range("n", ten, true, twenty, false)) == List{1, 9});
  CHECK(f.Prune(Range("n", Value::Int(19), false, twenty, true)) == List{2, 9});
  CHECK(f.Prune(Range("n", Value::Int(79), false, {}, false)) == List{8, 9});
  CHECK(f.Prune(Range("n", {}, false, ten, false)) == List{0, 9});
  CHECK(f.Prune(Range("n", {}, false, {}, false)) == kAll);
  CHECK(f.Prune(Range("n", twenty, true, ten, true)) == List{9});
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  CHECK(f.Prune(Range("n", Value::Int(kMax), false, {}, false)) == List{9});
  const Value lowest = Value::Long(std::numeric_limits<int64_t>::min());
  CHECK(f.Prune(Range("n", {}, false, lowest, false)) == List{9});
  const Value highest = Value::Long(std::numeric_limits<int64_t>::max());
  CHECK(f.Prune(Range("n", highest, false, {}, false)) == List{9});
}

TEST_CASE("both zeros are taken for equal, and NaN judges nothing") {
  const Fixture f;
  const Value nan = Value::Double(std::nan(""));
  CHECK(f.Prune(Equals("d", Value::Double(0.0))) == List{2, 3});
  CHECK(f.Prune(Equals("d", Value::Double(-0.0))) == List{2, 3});
  CHECK(f.Prune(Equals("d", Value::Float(0.0f))) == List{2, 3});
  CHECK(f.Prune(Equals("d", Value::Float(2.5f))) == List{5});
  CHECK(f.Prune(Range("d", Value::Double(0.0), true, Value::Double(1), true)) == List{2, 3, 4});
  CHECK(f.Prune(Range("d", {}, false, Value::Double(-0.0), false)) == List{0, 1, 2, 3});
  CHECK(f.Prune(Equals("d", nan)) == kAll);
  CHECK(f.Prune(Range("d", nan, true, {}, false)) == kAll);
  const std::vector<Value> with_nan = {Value::Double(1), nan};
  CHECK(f.Prune(Filter::Of(On("d", DataType::kDouble, Kind::kIn, with_nan))) == kAll);
}

TEST_CASE("text that shares its first bytes is not told apart") {
  const Fixture f;
  CHECK(f.Prune(Equals("s", Value::String("abcdefghi"))) == List{2, 3});
  CHECK(f.Prune(Equals("s", Value::String("abcdefgz"))) == List{4});
  CHECK(f.Prune(Range("s", Value::String("abcdefghzzz"), false, {}, false)) ==
        List{2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(f.Prune(Range("s", {}, false, Value::String("b"), false)) == List{0, 1, 2, 3, 4, 5});
}

TEST_CASE("partitions restrict equality and IN, where they are known") {
  const Fixture f;
  // 8 is of no known partition; 7 is of partition 1 of three.
  CHECK(f.Prune(Equals("k", Value::Long(5))) == List{1, 5, 8, 9});
  CHECK(f.Prune(Equals("k", Value::Long(4))) == List{0, 4, 7, 8});
  const std::vector<Value> in = {Value::Long(5), Value::Long(6)};
  CHECK(f.Prune(Filter::Of(On("k", DataType::kLong, Kind::kIn, in))) == List{1, 2, 5, 6, 8, 9});
  CHECK(f.Prune(Equals("k", Value::Long(-3))) == kAll);
  CHECK(f.Prune(Equals("k", Value::String("5"))) == kAll);
  CHECK(f.Prune(Range("k", Value::Long(5), true, Value::Long(5), true)) == kAll);
}

TEST_CASE("predicates that bounds cannot judge keep everything") {
  const Fixture f;
  for (const Kind kind : {Kind::kNotEqual, Kind::kNotIn, Kind::kRegexpLike, Kind::kLike,
                          Kind::kIsNull, Kind::kIsNotNull})
    CHECK(f.Prune(Number(kind, {34})) == kAll);
  Predicate of_function = On("n", DataType::kInt, Kind::kEqual, {Value::Int(34)});
  of_function.subject =
      plan::Expression::Function("abs", {DataType::kInt, false}, {of_function.subject});
  CHECK(f.Prune(Filter::Of(of_function)) == kAll);
  CHECK(f.Prune(Equals("unknown", Value::Int(34))) == kAll);
  CHECK(f.Prune(Equals("n", Value::Null(DataType::kInt))) == kAll);
  CHECK(f.Prune(Equals("n", Value::Bytes(DataType::kBytes, "x"))) == kAll);
}

TEST_CASE("filters combine") {
  const Fixture f;
  const Filter n34 = Number(Kind::kEqual, {34});
  const Filter n1 = Number(Kind::kEqual, {1});
  const Filter keep = Number(Kind::kNotEqual, {34});
  CHECK(f.Prune(Filter::True()) == kAll);
  CHECK(f.Prune(Filter::False()).empty());
  CHECK(f.Prune(Filter::And({n34, Equals("k", Value::Long(3))})) == List{3});
  CHECK(f.Prune(Filter::And({n34, n1})) == List{9});
  CHECK(f.Prune(Filter::And({keep, n34, Filter::True()})) == List{3, 9});
  CHECK(f.Prune(Filter::And({n34, Filter::False()})).empty());
  CHECK(f.Prune(Filter::Or({n34, n1})) == List{0, 3, 9});
  CHECK(f.Prune(Filter::Or({n34, keep})) == kAll);
  CHECK(f.Prune(Filter::Or({n34, Filter::False()})) == List{3, 9});
  CHECK(f.Prune(Filter::Not(n34)) == kAll);
  CHECK(f.Prune(Filter::And({Filter::Not(n34), n1})) == List{0, 9});
}

TEST_CASE("a long IN list is judged by its hull and its partitions") {
  const Fixture f;
  std::vector<Value> values;
  for (int i = 0; i < 5'000; ++i) values.push_back(Value::Long(4 * i + 1));
  CHECK(f.Prune(Filter::Of(On("k", DataType::kLong, Kind::kIn, values))) == List{1, 5, 7, 8, 9});
}

// pinot#8931: pruning many segments took as long as a query.
TEST_CASE("of 100,000 segments in time and 256 partitions the right ones survive") {
  constexpr uint32_t kCount = 100'000;
  constexpr uint32_t kPartitions = 256;
  std::vector<std::pair<uint32_t, std::string>> names;
  std::vector<std::pair<int64_t, int64_t>> hours;
  wire::PartitionColumn partition{"k", "Modulo", kPartitions, {}};
  for (uint32_t i = 0; i < kCount; ++i) {
    names.emplace_back(i, fmt::format("s_{}", 100'000 + i));  // ids are in order of i
    const int64_t hour = i / kPartitions;
    hours.emplace_back(hour * 3'600'000, (hour + 1) * 3'600'000 - 1);
    partition.partition.push_back(i % kPartitions);
  }
  wire::SegmentBatch batch = BatchOf(names);
  batch.zones = {ZonesOf("ts", hours)};
  batch.partitions = {partition};
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  REQUIRE(state.Apply(server, FullUpdate(1, 1, batch)).ok());
  const auto table = state.Build()->tables.at("t_OFFLINE");
  const PruneIndex& index = table->segments->prune_index();
  const Filter time = Filter::Of(
      On("ts", DataType::kLong, Kind::kEqual, {Value::Long(int64_t{200} * 3'600'000 + 17)}));
  const Filter member =
      Filter::Of(On("k", DataType::kLong, Kind::kEqual, {Value::Long(17 + 3 * kPartitions)}));
  const Roaring at_time = PruneSegments(index, time);
  CHECK(at_time.cardinality() == kPartitions);
  CHECK(at_time.minimum() == 200 * kPartitions);
  CHECK(at_time.maximum() == 201 * kPartitions - 1);
  const Roaring in_partition = PruneSegments(index, member);
  CHECK(in_partition.cardinality() == (kCount - 17 + kPartitions - 1) / kPartitions);
  for (const uint32_t id : in_partition) CHECK(id % kPartitions == 17);
  const Roaring both = PruneSegments(index, Filter::And({time, member}));
  CHECK(both == Roaring::bitmapOf(1, 200 * kPartitions + 17));
}

}  // namespace trellis::broker
