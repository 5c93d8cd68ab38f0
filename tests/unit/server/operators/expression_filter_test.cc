#include "server/operators/expression_filter.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/example_rides.h"
#include "tests/unit/server/operators/map_segment.h"

namespace trellis::server {
namespace {

using plan::Expression;
using plan::Filter;
using plan::Predicate;
using Docs = std::vector<uint32_t>;

Expression Sky() { return Expression::MapKey("weather", "sky", {DataType::kString, false}); }
Expression Climb() { return Expression::MapKey("meters", "climb", {DataType::kInt, false}); }
Expression Length() { return Expression::MapKey("meters", "length", {DataType::kInt, false}); }

Filter Is(Expression subject, Value value, Predicate::Kind kind = Predicate::Kind::kEqual) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.subject = std::move(subject);
  predicate.values = {std::move(value)};
  return Filter::Of(predicate);
}

Filter AtLeast(Expression subject, int32_t lower) {
  Predicate predicate;
  predicate.kind = Predicate::Kind::kRange;
  predicate.subject = std::move(subject);
  predicate.lower = Value::Int(lower);
  predicate.lower_inclusive = true;
  return Filter::Of(predicate);
}

struct Selected {
  Docs docs;
  MapReads reads;
  int64_t scanned = 0;
};

Selected SelectOf(const segment::Segment& segment, const Schema& schema, const Filter& filter,
                  bool null_handling = false) {
  SegmentSource source(segment, schema);
  Selected selected;
  auto node = CompileFilter(filter, source, null_handling, &selected.scanned);
  REQUIRE(node.status().message() == "");
  const Status status =
      ForEachMatch(node->get(), segment.document_count(), 10'000,
                   [&](std::span<const uint32_t> docs) -> Result<bool> {
                     selected.docs.insert(selected.docs.end(), docs.begin(), docs.end());
                     return true;
                   });
  REQUIRE(status.message() == "");
  selected.reads = source.map_reads();
  return selected;
}

Selected OfRides(const Filter& filter, bool null_handling = false) {
  return SelectOf(*Rides().segments[0], *Rides().schema, filter, null_handling);
}

Docs Both(const Docs& a, const Docs& b) {
  Docs both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

TEST_CASE("predicates on one MAP take each frame out of the forward index once") {
  const size_t rows = Rides().segments[0]->document_count();
  const bool null_handling = GENERATE(false, true);
  const Filter long_rides = AtLeast(Length(), 3000);
  const Filter steep_rides = AtLeast(Climb(), 20);
  const Selected length = OfRides(long_rides, null_handling);
  const Selected climb = OfRides(steep_rides, null_handling);
  CHECK(length.reads.frames_read == rows);
  CHECK(length.reads.frames_walked == rows);
  REQUIRE(length.docs.size() > rows / 4);
  REQUIRE(climb.docs.size() > rows / 20);

  for (const Filter& filter :
       {Filter::And({long_rides, steep_rides}), Filter::And({steep_rides, long_rides}),
        Filter::Not(Filter::Or({Filter::Not(steep_rides), Filter::Not(long_rides)}))}) {
    const Selected both = OfRides(filter, null_handling);
    CHECK(both.reads.frames_read == rows);
    CHECK(both.reads.frames_walked <= rows + rows / 4);
    if (!null_handling) CHECK(both.docs == Both(length.docs, climb.docs));
  }
  const Selected either = OfRides(Filter::Or({long_rides, steep_rides}), null_handling);
  CHECK(either.reads.frames_read == rows);
  CHECK(either.docs.size() ==
        length.docs.size() + climb.docs.size() - Both(length.docs, climb.docs).size());
  // One key under two predicates; and a column beside it that is no MAP.
  const Selected band = OfRides(Filter::And({long_rides, Filter::Not(AtLeast(Length(), 9000)),
                                             AtLeast(Rides().Column("minutes"), 1)}),
                                null_handling);
  CHECK(band.reads.frames_read == rows);
  CHECK(band.reads.frames_walked == rows);
}

TEST_CASE("behind a predicate that few documents pass, a key is read for those alone") {
  const size_t rows = Rides().segments[0]->document_count();
  const Selected rare = OfRides(Filter::And({AtLeast(Length(), 11'900), AtLeast(Climb(), 0)}));
  CHECK(rare.reads.frames_read == rows);
  REQUIRE(rare.docs.size() < rows / 10);
  // All of the first documents for both keys, then one walk for the first and one for the
  // survivors.
  CHECK(rare.reads.frames_walked >= rows);
  CHECK(rare.reads.frames_walked <= rows + rows / 5);
  CHECK(rare.docs ==
        Both(OfRides(AtLeast(Length(), 11'900)).docs, OfRides(AtLeast(Climb(), 0)).docs));
}

TEST_CASE("documents that an index leaves out are read by no predicate") {
  const Filter here = Is(Rides().Column("station"), Value::String("Mill Lane"));
  const Selected all = OfRides(here);
  const Selected some = OfRides(Filter::And({AtLeast(Length(), 1), AtLeast(Climb(), 1), here}));
  CHECK(some.reads.frames_read == all.docs.size());
}

TEST_CASE("keys of several MAPs are shared map by map") {
  const size_t rows = Rides().segments[0]->document_count();
  const Filter clear = Is(Sky(), Value::String("clear"));
  const Filter hail = Is(Sky(), Value::String("hail"));
  const Selected apart = OfRides(clear);
  const Selected mixed = OfRides(Filter::Or(
      {Filter::And({clear, AtLeast(Length(), 5000)}), Filter::And({hail, AtLeast(Climb(), 5)})}));
  CHECK(mixed.reads.frames_read <= 2 * rows);
  Docs expected = Both(apart.docs, OfRides(AtLeast(Length(), 5000)).docs);
  const Docs second = Both(OfRides(hail).docs, OfRides(AtLeast(Climb(), 5)).docs);
  expected.insert(expected.end(), second.begin(), second.end());
  std::sort(expected.begin(), expected.end());
  CHECK(mixed.docs == expected);
}

TEST_CASE("the bytes of a batch are told once") {
  const Filter filter = Filter::And({AtLeast(Length(), 1), AtLeast(Climb(), 1)});
  const auto bytes_of = [&](const std::vector<std::pair<uint32_t, uint32_t>>& batches) {
    SegmentSource source(*Rides().segments[0], *Rides().schema);
    FilterKeys keys(filter, source);
    std::vector<uint64_t> told;
    for (const auto& [from, to] : batches) {
      Docs docs(to - from);
      std::iota(docs.begin(), docs.end(), from);
      ColumnVector own;
      REQUIRE(keys.Read(docs, "meters", "length", DataType::kInt, own).ok());
      told.push_back(keys.TakeBytes());
      CHECK(keys.TakeBytes() == 0);
    }
    keys.AddBytes(7);
    CHECK(keys.TakeBytes() == 7);
    return told;
  };
  const std::vector<uint64_t> both = bytes_of({{0, 100}, {100, 150}});
  CHECK(both == std::vector<uint64_t>{bytes_of({{0, 100}})[0], both[1]});
  CHECK(both[1] > 50 * 8);
  CHECK(both[1] < both[0]);
}

TEST_CASE("a value that a dropped document holds is no error of the filter") {
  const MapSegment made({MapFrame({{"a", "1"}, {"b", "\"x\""}}), MapFrame({{"a", "2"}, {"b", "5"}}),
                         MapFrame({{"b", "7"}})},
                        "INT");
  const Filter filter =
      Filter::And({Is(made.Key("a"), Value::Int(2)), Is(made.Key("b"), Value::Int(5))});
  CHECK(SelectOf(*made.segment, made.schema, filter).docs == Docs{1});

  SegmentSource source(*made.segment, made.schema);
  int64_t scanned = 0;
  const Filter asks_all =
      Filter::Or({Is(made.Key("a"), Value::Int(2)), Is(made.Key("b"), Value::Int(5))});
  auto node = CompileFilter(asks_all, source, false, &scanned);
  Docs docs;
  const Status status = (*node)->Select(Docs{0, 1, 2}, true, docs);
  CHECK_THAT(status.message(), Catch::Contains("segment tiny") && Catch::Contains("column 'm'") &&
                                   Catch::Contains("key 'b'") && Catch::Contains("docId 0"));
}

TEST_CASE("a key is NULL where its whole map is, and its type's default where it is missing") {
  // {a:1}, {}, {a:null}; then the second map null.
  const std::vector<std::string> frames = {MapFrame({{"a", "1"}}), MapFrame({}),
                                           MapFrame({{"a", "null"}})};
  const MapSegment present(frames, "INT");
  const MapSegment with_null(frames, "INT", {1});
  const auto null_test = [](const MapSegment& made, Predicate::Kind kind) {
    Predicate predicate;
    predicate.kind = kind;
    predicate.subject = made.Key("a");
    return Filter::Of(predicate);
  };
  for (const bool null_handling : {false, true}) {
    const auto docs = [&](const MapSegment& made, const Filter& filter) {
      return SelectOf(*made.segment, made.schema, filter, null_handling).docs;
    };
    using Kind = Predicate::Kind;
    CHECK(docs(present, null_test(present, Kind::kIsNull)) == Docs{});
    CHECK(docs(present, null_test(present, Kind::kIsNotNull)) == Docs{0, 1, 2});
    CHECK(docs(with_null, null_test(with_null, Kind::kIsNull)) == Docs{1});
    CHECK(docs(with_null, null_test(with_null, Kind::kIsNotNull)) == Docs{0, 2});
    const Filter missing = Is(with_null.Key("a"), Value::Int(INT32_MIN));
    CHECK(docs(with_null, missing) == (null_handling ? Docs{2} : Docs{1, 2}));
    const Filter other = Is(with_null.Key("a"), Value::Int(1), Kind::kNotEqual);
    CHECK(docs(with_null, other) == (null_handling ? Docs{2} : Docs{1, 2}));
  }
}

}  // namespace
}  // namespace trellis::server
