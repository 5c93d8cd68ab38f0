#include <catch2/catch.hpp>

#include "server/operators/document_filter.h"
#include "tests/unit/server/operators/filter_maker.h"

namespace trellis::server {
namespace {

using plan::Filter;
using plan::Predicate;

Predicate Compare(const char* column, Predicate::Kind kind, std::vector<Value> values) {
  return PredicateOf(kind, Rides().Column(column), std::move(values));
}

TEST_CASE("a segment that holds a matching row is never pruned") {
  const bool null_handling = GENERATE(false, true);
  INFO("--rng-seed " << RandomSeed());
  int pruned_count = 0;
  for (size_t s = 0; s < Rides().segments.size(); ++s) {
    // Constants of one segment, asked of its neighbour: often outside its range.
    const segment::Segment& segment = *Rides().segments[s];
    FilterMaker maker(*Rides().segments[(s + 1) % Rides().segments.size()], RandomSeed() + s);
    FilterModel model(segment, *Rides().schema, null_handling);
    for (int tree = 0; tree < 120; ++tree) {
      INFO("segment " << s << ", tree " << tree);
      const Filter filter = maker.Tree(2);
      const auto pruned = PrunedByValue(filter, segment);
      REQUIRE(pruned.status().message() == "");
      pruned_count += *pruned;
      if (*pruned) CHECK(model.Rows(filter, true).empty());
    }
  }
  CHECK(pruned_count > 0);
}

TEST_CASE("values beyond min and max prune a segment, values within do not") {
  const segment::Segment& first = *Rides().segments[0];
  const auto pruned = [&](Predicate predicate) {
    return PrunedByValue(Filter::Of(std::move(predicate)), first).value();
  };
  using Kind = Predicate::Kind;
  CHECK(pruned(Compare("day", Kind::kEqual, {Value::String("2026-06-08")})));
  CHECK(pruned(Compare("day", Kind::kEqual, {Value::String("2026-05-31")})));
  CHECK_FALSE(pruned(Compare("day", Kind::kEqual, {Value::String("2026-06-07")})));
  CHECK_FALSE(pruned(Compare("day", Kind::kNotEqual, {Value::String("2026-06-08")})));
  CHECK_FALSE(pruned(
      Compare("day", Kind::kIn, {Value::String("2026-07-01"), Value::String("2026-06-01")})));
  Predicate late = Compare("day", Kind::kRange, {});
  late.lower = Value::String("2026-06-07");
  CHECK(pruned(late));
  late.lower_inclusive = true;
  CHECK_FALSE(pruned(late));
  CHECK_FALSE(PrunedByValue(Filter::Not(Filter::Of(late)), first).value());
  CHECK(PrunedByValue(Filter::False(), first).value());
  CHECK_FALSE(PrunedByValue(Filter::True(), first).value());
}

TEST_CASE("a bloom filter prunes texts within min and max that no row holds") {
  const segment::Segment& segment = *Rides().segments[0];
  int pruned = 0;
  for (int i = 0; i < 100; ++i) {
    const auto answer =
        PrunedByValue(Filter::Of(Compare("bike_id", Predicate::Kind::kEqual,
                                         {Value::String(fmt::format("bike-{:04d}x", i))})),
                      segment);
    pruned += answer.value();
  }
  CHECK(pruned > 80);
  for (const Value& held : Scan(segment, *Rides().schema, Rides().Column("bike_id")).values) {
    const auto answer =
        PrunedByValue(Filter::Of(Compare("bike_id", Predicate::Kind::kEqual, {held})), segment);
    CHECK_FALSE(answer.value());
  }
}

TEST_CASE("an IN list longer than ten values is not tested against min and max") {
  std::vector<Value> values(10, Value::String("2030-01-01"));
  const segment::Segment& segment = *Rides().segments[0];
  CHECK(PrunedByValue(Filter::Of(Compare("day", Predicate::Kind::kIn, values)), segment).value());
  values.push_back(values[0]);
  CHECK_FALSE(
      PrunedByValue(Filter::Of(Compare("day", Predicate::Kind::kIn, values)), segment).value());
}

TEST_CASE(
    "bounds whose types differ from each other's or the column's prune nothing and do not die") {
  Predicate range = Compare("minutes", Predicate::Kind::kRange, {});
  range.lower = Value::Int(10'000);
  range.upper = Value::Boolean(true);  // as an INT on the wire
  CHECK(PrunedByValue(Filter::Of(range), *Rides().segments[0]).ok());
  range.upper = Value::Int(-10'000);
  CHECK(PrunedByValue(Filter::Of(range), *Rides().segments[0]).value());
  range.lower = Value::Boolean(true);
  range.upper.reset();
  CHECK_FALSE(PrunedByValue(Filter::Of(range), *Rides().segments[0]).value());
}

}  // namespace
}  // namespace trellis::server
