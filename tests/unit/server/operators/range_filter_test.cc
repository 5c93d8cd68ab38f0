#include "server/operators/range_filter.h"

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "tests/unit/server/operators/ranged_segment.h"

namespace trellis::server {
namespace {

using plan::Filter;
using plan::Predicate;
using Kind = plan::Predicate::Kind;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// One segment twice, with and without range indexes, and values near which bounds are drawn.
struct Twins {
  segment::ScratchFolder folder;
  std::shared_ptr<const segment::Segment> indexed;
  std::shared_ptr<const segment::Segment> scanned;
  Schema schema;
  std::map<std::string, std::vector<Value>> bounds;

  plan::Expression Column(const std::string& name) const {
    return plan::Expression::Column(name, schema.Find(name)->value_type());
  }
  void Finish(const RangedSegment& made) {
    indexed = made.Open(folder.path() / "indexed", true);
    scanned = made.Open(folder.path() / "scanned", false);
    schema = segment::DeriveSchema("ranged", indexed->metadata());
    for (const auto& [name, some] : bounds) {
      CAPTURE(name);
      const auto column = indexed->OpenColumn(name);
      REQUIRE(column.status().message() == "");
      REQUIRE(((*column)->range() != nullptr) == (name != "sorted"));
      if ((*column)->range()) REQUIRE((*column)->range()->Check().message() == "");
      REQUIRE(scanned->OpenColumn(name).value()->range() == nullptr);
    }
  }
};

template <class T>
std::vector<Value> Bounds(const std::vector<T>& values, Value (*make)(T)) {
  std::vector<Value> bounds;
  for (const T value : values) bounds.push_back(make(value));
  return bounds;
}

std::unique_ptr<Twins> MakeTwins(size_t rows) {
  auto twins = std::make_unique<Twins>();
  RangedSegment made(rows);
  std::mt19937 random(3);
  const auto pick = [&](const auto& values) { return values[random() % values.size()]; };

  std::vector<int32_t> numbers(300);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i) * 7 - 900;
  std::vector<uint32_t> ids(rows), sorted(rows);
  for (uint32_t& id : ids) id = random() % numbers.size();
  for (size_t row = 0; row < rows; ++row)
    sorted[row] = static_cast<uint32_t>(row * numbers.size() / rows);
  made.AddDictionary("coded", numbers, ids);
  made.AddSorted("sorted", numbers, sorted);
  std::vector<std::vector<uint32_t>> lists(rows);
  for (auto& list : lists) {
    for (size_t i = 0; i <= random() % 4; ++i) list.push_back(random() % numbers.size());
  }
  made.AddMultiValue("many", numbers, lists);
  for (const char* name : {"coded", "sorted", "many"}) {
    for (int i = 0; i < 40; ++i)
      twins->bounds[name].push_back(Value::Int(pick(numbers) + static_cast<int32_t>(random() % 3)));
  }

  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const std::vector<int64_t> longs = {kMin, kMin + 1, -1, 0, 1, 9007199254740993, kMax - 1, kMax};
  const std::vector<double> doubles = {-kInf,  -1e300, -2, -5e-324, -0.0, 0.0,
                                       5e-324, 1,      2,  1e300,   kInf, kNaN};
  const std::vector<float> floats = {
      -3, -0.0f, 0, 0.05f, 0.050000004f, 0.06f, 1e30f, std::numeric_limits<float>::quiet_NaN()};
  std::vector<int64_t> l(rows);
  std::vector<double> d(rows);
  std::vector<float> f(rows);
  std::vector<int32_t> n(rows);
  std::vector<uint64_t> lk, dk, fk;
  for (size_t row = 0; row < rows; ++row) {
    l[row] = random() % 2 ? pick(longs) : static_cast<int64_t>(random() % 1000);
    d[row] = random() % 2 ? pick(doubles) : static_cast<double>(random() % 1000) / 7;
    f[row] = random() % 2 ? pick(floats) : static_cast<float>(random() % 1000) / 7;
    n[row] = static_cast<int32_t>(random() % 1000);
    lk.push_back(static_cast<uint64_t>(l[row]) - static_cast<uint64_t>(kMin));
    dk.push_back(index::OrderedBits(d[row]));
    fk.push_back(index::OrderedBits(f[row]));
  }
  l[0] = kMin;
  lk[0] = 0;
  n[0] = 0;
  made.AddRaw<int64_t>("long", "LONG", l, lk, kMin);
  made.AddRaw<int64_t>("moment", "TIMESTAMP", l, lk, kMin);
  made.AddRaw<double>("double", "DOUBLE", d, dk, 0);
  made.AddRaw<float>("float", "FLOAT", f, fk, 0);
  made.AddRaw<int32_t>("bucketed", "INT", n, {}, 0, {0, 100, 101, 500, 900, 999});
  made.AddRaw<double>("bucketed_double", "DOUBLE", d, {}, 0, {-kInf, -1, 0.0, 2, 100, kNaN});
  twins->bounds["long"] = Bounds(longs, Value::Long);
  twins->bounds["moment"] = Bounds(longs, Value::Timestamp);
  twins->bounds["double"] = twins->bounds["bucketed_double"] = Bounds(doubles, Value::Double);
  twins->bounds["float"] = Bounds(floats, Value::Float);
  twins->bounds["bucketed"] =
      Bounds<int32_t>({0, 1, 99, 100, 101, 102, 499, 500, 998, 999, 1000}, Value::Int);
  for (int i = 0; i < 20; ++i) {
    twins->bounds["long"].push_back(Value::Long(pick(l)));
    twins->bounds["double"].push_back(Value::Double(pick(d)));
    twins->bounds["float"].push_back(Value::Float(pick(f)));
    twins->bounds["bucketed"].push_back(Value::Int(pick(n)));
  }
  for (const char* name : {"coded", "long", "double", "bucketed"}) {
    Roaring nulls;
    for (uint32_t row = random() % 3; row < rows; row += 1 + random() % 9) nulls.add(row);
    made.AddNulls(name, nulls);
  }
  twins->Finish(made);
  return twins;
}

const Twins& SmallTwins() {
  static const auto twins = MakeTwins(1500);
  return *twins;
}
// More than one block of a bit-sliced index.
const Twins& LargeTwins() {
  static const auto twins = MakeTwins(70'001);
  return *twins;
}

std::vector<uint32_t> Select(const Twins& twins, const segment::Segment& segment,
                             const Filter& filter, bool null_handling, bool wanted) {
  SegmentSource source(segment, twins.schema);
  int64_t scanned = 0;
  auto node = CompileFilter(filter, source, null_handling, &scanned);
  REQUIRE(node.status().message() == "");
  std::vector<uint32_t> docs(segment.document_count()), selected;
  std::iota(docs.begin(), docs.end(), 0);
  REQUIRE((*node)->Select(docs, wanted, selected).message() == "");
  if (!wanted) return selected;
  std::vector<uint32_t> walked;
  REQUIRE(ForEachMatch(node->get(), segment.document_count(), 1000, [&](auto batch) {
            walked.insert(walked.end(), batch.begin(), batch.end());
            return Result<bool>(true);
          }).ok());
  CHECK(walked == selected);
  return selected;
}

void CheckTwins(const Twins& twins, const Filter& filter) {
  for (const bool null_handling : {false, true}) {
    for (const bool wanted : {true, false}) {
      CAPTURE(null_handling, wanted);
      CHECK((Select(twins, *twins.indexed, filter, null_handling, wanted) ==
             Select(twins, *twins.scanned, filter, null_handling, wanted)));
    }
  }
}

Predicate Random(const Twins& twins, const std::string& name, std::mt19937_64& random) {
  const std::vector<Value>& bounds = twins.bounds.at(name);
  const auto pick = [&] { return bounds[random() % bounds.size()]; };
  constexpr Kind kKinds[] = {Kind::kRange,    Kind::kRange, Kind::kRange, Kind::kEqual,
                             Kind::kNotEqual, Kind::kIn,    Kind::kNotIn};
  Predicate predicate;
  predicate.kind = kKinds[random() % std::size(kKinds)];
  predicate.subject = twins.Column(name);
  if (predicate.kind == Kind::kRange) {
    const auto ends = random() % 4;
    if (ends != 0) predicate.lower = pick();
    if (ends != 1) predicate.upper = pick();
    predicate.lower_inclusive = predicate.lower && random() % 2;
    predicate.upper_inclusive = predicate.upper && random() % 2;
  } else {
    const bool list = predicate.kind == Kind::kIn || predicate.kind == Kind::kNotIn;
    for (size_t i = 0; i < (list ? 1 + random() % 6 : 1); ++i) predicate.values.push_back(pick());
  }
  return predicate;
}

TEST_CASE("a filter by range index selects what a scan selects, over every type") {
  std::mt19937_64 random(Catch::rngSeed());
  INFO("--rng-seed " << Catch::rngSeed());
  for (const auto& [name, bounds] : SmallTwins().bounds) {
    for (int round = 0; round < 80; ++round) {
      const Predicate predicate = Random(SmallTwins(), name, random);
      INFO(plan::PrintPredicate(predicate));
      CheckTwins(SmallTwins(), Filter::Of(predicate));
    }
  }
}

TEST_CASE("a filter by range index selects what a scan selects over several blocks") {
  std::mt19937_64 random(Catch::rngSeed() + 1);
  INFO("--rng-seed " << Catch::rngSeed());
  for (const auto& [name, bounds] : LargeTwins().bounds) {
    for (int round = 0; round < 6; ++round) {
      const Predicate predicate = Random(LargeTwins(), name, random);
      INFO(plan::PrintPredicate(predicate));
      CheckTwins(LargeTwins(), Filter::Of(predicate));
    }
  }
}

TEST_CASE("trees of range-indexed, sorted and other predicates select what scans select") {
  std::mt19937_64 random(Catch::rngSeed() + 2);
  INFO("--rng-seed " << Catch::rngSeed());
  std::vector<std::string> names;
  for (const auto& [name, bounds] : SmallTwins().bounds) names.push_back(name);
  const std::function<Filter(int)> tree = [&](int depth) {
    if (depth == 0) return Filter::Of(Random(SmallTwins(), names[random() % names.size()], random));
    if (random() % 4 == 0) return Filter::Not(tree(depth - 1));
    std::vector<Filter> children;
    for (size_t i = 0; i < 2 + random() % 2; ++i) children.push_back(tree(depth - 1));
    return random() % 2 ? Filter::And(std::move(children)) : Filter::Or(std::move(children));
  };
  for (int round = 0; round < 200; ++round) CheckTwins(SmallTwins(), tree(1 + round % 3));
}

// pinot#14486: a range index and the negation of a sorted predicate under one OR.
TEST_CASE("an OR of a range index and a negated sorted predicate keeps every row of either") {
  const Twins& twins = SmallTwins();
  Predicate between;
  between.kind = Kind::kRange;
  between.subject = twins.Column("coded");
  between.lower = Value::Int(-100);
  between.upper = Value::Int(200);
  between.lower_inclusive = between.upper_inclusive = true;
  Predicate not_equal;
  not_equal.kind = Kind::kNotEqual;
  not_equal.subject = twins.Column("sorted");
  not_equal.values = {Value::Int(-900 + 7 * 12)};
  const auto count = [&](const Filter& filter) {
    return Select(twins, *twins.indexed, filter, false, true).size();
  };
  const Filter range = Filter::Of(between), sorted = Filter::Of(not_equal);
  const size_t both = count(Filter::And({range, sorted}));
  CHECK(count(sorted) == twins.indexed->document_count() - 5);  // 1,500 rows of 300 values
  CHECK(count(Filter::Or({range, sorted})) == count(range) + count(sorted) - both);
  for (const Filter& filter :
       {Filter::Or({range, sorted}), Filter::And({range, sorted}),
        Filter::Not(Filter::Or({range, sorted})), Filter::Or({Filter::Not(range), sorted}),
        Filter::And({Filter::Not(range), Filter::Not(sorted)})})
    CheckTwins(twins, filter);
}

// pinot#10986: the same days by equality, by a list and by a range.
TEST_CASE("equality, IN and a range count the same rows at the edges of days") {
  constexpr int64_t kDay = 86'400'000;
  const std::vector<int64_t> times = {0,        1,        kDay - 1,     kDay,        kDay + 1,
                                      2 * kDay, 2 * kDay, 2 * kDay + 1, 3 * kDay - 1};
  std::vector<int64_t> days;
  std::vector<uint64_t> keys, day_keys;
  for (const int64_t time : times) {
    keys.push_back(static_cast<uint64_t>(time));
    days.push_back(time / kDay * kDay);
    day_keys.push_back(static_cast<uint64_t>(days.back()));
  }
  RangedSegment made(times.size());
  made.AddRaw<int64_t>("ts", "TIMESTAMP", times, keys, 0);
  made.AddRaw<int64_t>("day", "TIMESTAMP", days, day_keys, 0);
  Twins twins;
  twins.bounds["ts"] = twins.bounds["day"] = {};
  twins.Finish(made);
  for (int64_t day = 0; day < 3; ++day) {
    Predicate equal, in, range;
    equal.kind = Kind::kEqual;
    in.kind = Kind::kIn;
    range.kind = Kind::kRange;
    equal.subject = in.subject = twins.Column("day");
    range.subject = twins.Column("ts");
    equal.values = {Value::Timestamp(day * kDay)};
    in.values = {Value::Timestamp(day * kDay), Value::Timestamp(-5)};
    range.lower = Value::Timestamp(day * kDay);
    range.upper = Value::Timestamp((day + 1) * kDay);
    range.lower_inclusive = true;
    std::vector<uint32_t> expected;
    for (uint32_t row = 0; row < times.size(); ++row)
      if (times[row] / kDay == day) expected.push_back(row);
    for (const auto& segment : {twins.indexed, twins.scanned}) {
      for (const Predicate& predicate : {equal, in, range}) {
        INFO(plan::PrintPredicate(predicate));
        CHECK(Select(twins, *segment, Filter::Of(predicate), false, true) == expected);
      }
    }
  }
}

// pinot#9305
TEST_CASE("DOUBLE above zero leaves out both zeros and keeps the least denormal") {
  const std::vector<double> values = {0.0, -0.0, 5e-324, 1};
  std::vector<uint64_t> keys;
  for (const double value : values) keys.push_back(index::OrderedBits(value));
  RangedSegment made(values.size());
  made.AddRaw<double>("d", "DOUBLE", values, keys, 0);
  Twins twins;
  twins.bounds["d"] = {};
  twins.Finish(made);
  Predicate above;
  above.kind = Kind::kRange;
  above.subject = twins.Column("d");
  above.lower = Value::Double(0);
  CHECK(Select(twins, *twins.indexed, Filter::Of(above), false, true) ==
        std::vector<uint32_t>{2, 3});
  CHECK(Select(twins, *twins.scanned, Filter::Of(above), false, true) ==
        std::vector<uint32_t>{2, 3});
}

TEST_CASE("an exact index looks at no row, one of ranges at rows of the ranges at the bounds") {
  const Twins& twins = SmallTwins();
  const auto scanned = [&](const std::string& name, Value low, Value high) {
    Predicate range;
    range.kind = Kind::kRange;
    range.subject = twins.Column(name);
    range.lower = std::move(low);
    range.upper = std::move(high);
    SegmentSource source(*twins.indexed, twins.schema);
    int64_t entries = 0;
    auto node = CompileFilter(Filter::Of(range), source, false, &entries);
    REQUIRE(node.ok());
    CHECK((*node)->documents() != nullptr);
    return entries;
  };
  CHECK(scanned("coded", Value::Int(-200), Value::Int(300)) == 0);
  CHECK(scanned("long", Value::Long(0), Value::Long(500)) == 0);
  const int64_t some = scanned("bucketed", Value::Int(50), Value::Int(700));
  CHECK(some > 0);
  CHECK(some < twins.indexed->document_count());
}

TEST_CASE("behind a predicate that leaves few rows the range is scanned, not walked") {
  const Twins& twins = SmallTwins();
  Predicate one_day;
  one_day.kind = Kind::kEqual;
  one_day.subject = twins.Column("sorted");
  one_day.values = {Value::Int(-900 + 7 * 12)};
  Predicate range;
  range.kind = Kind::kRange;
  range.subject = twins.Column("long");
  range.lower = Value::Long(0);
  SegmentSource source(*twins.indexed, twins.schema);
  int64_t entries = 0;
  auto node =
      CompileFilter(Filter::And({Filter::Of(range), Filter::Of(one_day)}), source, false, &entries);
  REQUIRE(node.ok());
  CHECK((*node)->documents() == nullptr);
  CheckTwins(twins, Filter::And({Filter::Of(range), Filter::Of(one_day)}));
}

}  // namespace
}  // namespace trellis::server
