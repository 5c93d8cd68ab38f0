#include "server/operators/dictionary_match.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/operators/filter_maker.h"

namespace trellis::server {
namespace {

using plan::Predicate;

TEST_CASE("each dictionary value is marked as a look at the value marks it") {
  INFO("--rng-seed " << RandomSeed());
  const segment::Segment& segment = *Rides().segments[4];
  FilterMaker maker(segment, RandomSeed() + 2);
  size_t dictionaries = 0;
  for (size_t subject = 0; subject < maker.subject_count(); ++subject) {
    const Predicate first = maker.Make(subject, Predicate::Kind::kEqual);
    if (!first.subject.is_column()) continue;
    const column::Dictionary* dictionary =
        segment.OpenColumn(first.subject.name).value()->dictionary();
    if (!dictionary) continue;
    ++dictionaries;
    for (const Predicate::Kind kind : FilterMaker::Kinds(first.subject.type.type)) {
      const Predicate predicate = maker.Make(subject, kind);
      INFO(first.subject.name << ", kind " << static_cast<int>(kind));
      const auto matcher = ValueMatcher::Create(predicate).value();
      std::vector<uint8_t> matches;
      const size_t count = MatchDictionary(*matcher, *dictionary, matches).value();
      REQUIRE(matches.size() == dictionary->size());
      size_t marked = 0;
      for (uint32_t id = 0; id < matches.size(); ++id) {
        ColumnVector one(dictionary->At(id)->type());
        one.Append(dictionary->At(id).value());
        std::vector<uint8_t> flat;
        matcher->MatchFlat(one, flat);
        CHECK((matches[id] != 0) == (flat.at(0) != 0));
        marked += matches[id] != 0;
      }
      CHECK(count == marked);
    }
  }
  CHECK(dictionaries >= 6);
}

TEST_CASE("a value named twice is counted once, a value that is not there not at all") {
  const auto column = Rides().segments[0]->OpenColumn("rating").value();
  Predicate in = PredicateOf(Predicate::Kind::kIn, Rides().Column("rating"));
  in.values = {Value::Int(3), Value::Int(3), Value::Int(77)};
  std::vector<uint8_t> matches;
  CHECK(
      MatchDictionary(*ValueMatcher::Create(in).value(), *column->dictionary(), matches).value() ==
      1);
}

TEST_CASE("a range whose bounds cross matches nothing") {
  const auto column = Rides().segments[0]->OpenColumn("rating").value();
  Predicate range = PredicateOf(Predicate::Kind::kRange, Rides().Column("rating"));
  range.lower = Value::Int(4);
  range.upper = Value::Int(2);
  range.lower_inclusive = range.upper_inclusive = true;
  std::vector<uint8_t> matches;
  CHECK(MatchDictionary(*ValueMatcher::Create(range).value(), *column->dictionary(), matches)
            .value() == 0);
}

}  // namespace
}  // namespace trellis::server
