#include <catch2/catch.hpp>

#include "server/operators/document_filter.h"
#include "tests/unit/common/segment/tiny_segment.h"
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

// A segment whose column `s` holds `low` and twice `high`, with bounds as some writer put them.
struct TextSegment {
  std::string low, high;
  std::string min, max;  // as they stand in metadata.properties; empty: not there
  bool dictionary = true;
  bool data_crc = false;  // written by 1.5.0 or later
};

std::string Raw(const TextSegment& text) {
  using segment::BigEndian;
  std::string raw;
  const auto low_size = static_cast<int32_t>(text.low.size());
  const auto high_size = static_cast<int32_t>(text.high.size());
  for (const int32_t field : {2, 1, 3, std::max(low_size, high_size), 3, 0, 28, 32, 12,
                              12 + low_size, 12 + low_size + high_size})
    raw += BigEndian<int32_t>(field);
  return raw + text.low + text.high + text.high;
}

std::shared_ptr<segment::Segment> Made(const TextSegment& text) {
  segment::TinySegment tiny;
  const size_t width = std::max(text.low.size(), text.high.size());
  std::string lines = "segment.padding.character = \\u0000\n";
  if (!text.min.empty()) lines += "column.s.minValue = " + text.min + "\n";
  if (!text.max.empty()) lines += "column.s.maxValue = " + text.max + "\n";
  if (text.dictionary) {
    lines += fmt::format("column.s.lengthOfEachEntry = {}\n", width);
    std::string& entries = tiny.Buffer("s", "dictionary");
    entries = text.low + std::string(width - text.low.size(), '\0') + text.high +
              std::string(width - text.high.size(), '\0');
  } else {
    lines += "column.s.hasDictionary = false\ncolumn.s.isSorted = false\n";
    tiny.Drop("s", "dictionary");
    tiny.Buffer("s", "forward_index") = Raw(text);
  }
  const segment::ScratchFolder folder;
  tiny.Metadata(lines).WriteV3(folder.path());
  segment::WriteFile(folder.path() / "v3" / "creation.meta",
                     std::string(text.data_crc ? 24 : 16, '\0'));
  auto opened = segment::Segment::Open(folder.path());
  CAPTURE(opened.status().message());
  REQUIRE(opened.ok());
  CHECK((*opened)->OpenColumn("s").status().message() == "");
  return *opened;
}

bool Pruned(const segment::Segment& segment, Predicate::Kind kind, std::optional<Value> equal,
            std::optional<Value> lower = {}, std::optional<Value> upper = {}) {
  Predicate predicate =
      PredicateOf(kind, plan::Expression::Column("s", {DataType::kString, false}), {});
  if (equal) predicate.values = {*equal};
  predicate.lower = std::move(lower);
  predicate.upper = std::move(upper);
  predicate.lower_inclusive = predicate.upper_inclusive = true;
  const auto pruned = PrunedByValue(Filter::Of(std::move(predicate)), segment);
  REQUIRE(pruned.status().message() == "");
  return *pruned;
}

bool PrunesNoRow(const TextSegment& text) {
  const auto segment = Made(text);
  bool none = true;
  for (const std::string& held : {text.low, text.high}) {
    const Value value = Value::String(held);
    none &= !Pruned(*segment, Predicate::Kind::kEqual, value);
    none &= !Pruned(*segment, Predicate::Kind::kRange, {}, value);
    none &= !Pruned(*segment, Predicate::Kind::kRange, {}, {}, value);
  }
  return none;
}

bool PrunesBeyond(const TextSegment& text) {
  const auto segment = Made(text);
  const Value above = Value::String(text.high + "x");
  return Pruned(*segment, Predicate::Kind::kEqual, Value::String("\x01")) &&
         Pruned(*segment, Predicate::Kind::kEqual, above) &&
         Pruned(*segment, Predicate::Kind::kRange, {}, above);
}

TEST_CASE("texts that were cut or not guarded in the metadata never prune a row") {
  const std::string high(600, 'm');
  const std::string cut(512, 'm');
  for (const bool dictionary : {false, true}) {
    for (const bool data_crc : {false, true}) {
      INFO(dictionary << data_crc);
      const TextSegment truncated{"a", high, "a", cut, dictionary, data_crc};
      CHECK(PrunesNoRow(truncated));
      CHECK(PrunesBeyond(truncated) == dictionary);
    }
    INFO(dictionary);
    for (const TextSegment& old :
         {TextSegment{"a, b", "c , z", "a, b", "c , z"}, TextSegment{"  a", "c  ", "  a", "c  "},
          TextSegment{" a", "c\t", " a", "c\t"}, TextSegment{"a", "b,c", "a", "b,c"},
          TextSegment{"a", "c", "", ""}}) {
      TextSegment text = old;
      text.dictionary = dictionary;
      INFO('"' << text.low << "\" to \"" << text.high << '"');
      CHECK(PrunesNoRow(text));
      CHECK(PrunesBeyond(text) == dictionary);
    }
  }
}

TEST_CASE("raw texts are pruned by bounds that 1.5.0 and later wrote and nothing cut") {
  TextSegment text{" a, b", "c ", "\\u0000 a\\u0000\\u0000 b", "c \\u0000", false, true};
  CHECK(PrunesNoRow(text));
  CHECK(PrunesBeyond(text));
  text.data_crc = false;
  CHECK(PrunesNoRow(text));
  CHECK_FALSE(PrunesBeyond(text));
  text = {"a", std::string(511, 'm'), "a", std::string(511, 'm'), false, true};
  CHECK(PrunesNoRow(text));
  CHECK(PrunesBeyond(text));
}

TEST_CASE("a dictionary in which padding may stand for the ends of texts gives no bounds") {
  segment::TinySegment tiny;
  tiny.Buffer("s", "dictionary") = "a ba%%";
  const segment::ScratchFolder folder;
  tiny.Metadata("segment.padding.character = %\n").WriteV3(folder.path());
  const auto segment = segment::Segment::Open(folder.path(), {}, {.legacy_padding = true}).value();
  for (const char* held : {"a b", "a"})
    CHECK_FALSE(Pruned(*segment, Predicate::Kind::kEqual, Value::String(held)));
}

}  // namespace
}  // namespace trellis::server
