#include "server/operators/document_filter.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/operators/filter_maker.h"

namespace trellis::server {
namespace {

using plan::Filter;
using plan::Predicate;

// The documents a compiled filter selects, walked in batches of `batch_size`.
std::vector<uint32_t> Select(const Filter& filter, const segment::Segment& segment,
                             bool null_handling, size_t batch_size) {
  SegmentSource source(segment, *Rides().schema);
  int64_t scanned = 0;
  auto node = CompileFilter(filter, source, null_handling, &scanned);
  REQUIRE(node.status().message() == "");
  std::vector<uint32_t> selected;
  bool last_full = true;
  const Status status = ForEachMatch(node->get(), segment.document_count(), batch_size,
                                     [&](std::span<const uint32_t> docs) -> Result<bool> {
                                       CHECK(last_full);
                                       last_full = docs.size() == batch_size;
                                       selected.insert(selected.end(), docs.begin(), docs.end());
                                       return true;
                                     });
  REQUIRE(status.message() == "");
  return selected;
}

// Where the filter is FALSE, asked of half of the documents.
std::vector<uint32_t> SelectFalse(const Filter& filter, const segment::Segment& segment,
                                  bool null_handling) {
  SegmentSource source(segment, *Rides().schema);
  int64_t scanned = 0;
  auto node = CompileFilter(filter, source, null_handling, &scanned);
  REQUIRE(node.status().message() == "");
  std::vector<uint32_t> docs;
  for (uint32_t doc = 1; doc < segment.document_count(); doc += 2) docs.push_back(doc);
  std::vector<uint32_t> selected;
  REQUIRE((*node)->Select(docs, false, selected).message() == "");
  return selected;
}

void CheckAgainstModel(const Filter& filter, const segment::Segment& segment, FilterModel& model,
                       bool null_handling) {
  const std::vector<uint32_t> expected = model.Rows(filter, true);
  CHECK(Select(filter, segment, null_handling, 10'000) == expected);
  CHECK(Select(filter, segment, null_handling, 7) == expected);
  std::vector<uint32_t> odd_false;
  for (const uint32_t row : model.Rows(filter, false))
    if (row % 2 == 1) odd_false.push_back(row);
  CHECK(SelectFalse(filter, segment, null_handling) == odd_false);
}

TEST_CASE("every kind of predicate selects the rows that a look at each row selects") {
  const bool null_handling = GENERATE(false, true);
  const segment::Segment& segment = *Rides().segments[1];
  INFO("--rng-seed " << RandomSeed());
  FilterMaker maker(segment, RandomSeed());
  FilterModel model(segment, *Rides().schema, null_handling);
  for (size_t subject = 0; subject < maker.subject_count(); ++subject) {
    for (int round = 0; round < 4; ++round) {
      Predicate equal = maker.Make(subject, Predicate::Kind::kEqual);
      auto kinds = FilterMaker::Kinds(equal.subject.type.type);
      if (equal.subject.is_column()) {
        kinds.push_back(Predicate::Kind::kIsNull);
        kinds.push_back(Predicate::Kind::kIsNotNull);
      }
      for (const Predicate::Kind kind : kinds) {
        INFO(plan::PrintExpression(equal.subject)
             << ", kind " << static_cast<int>(kind) << ", null handling " << null_handling);
        CheckAgainstModel(Filter::Of(maker.Make(subject, kind)), segment, model, null_handling);
      }
    }
  }
}

TEST_CASE("random trees of AND, OR and NOT select the rows that a look at each row selects") {
  const bool null_handling = GENERATE(false, true);
  const segment::Segment& segment = *Rides().segments[3];
  INFO("--rng-seed " << RandomSeed() << ", null handling " << null_handling);
  FilterMaker maker(segment, RandomSeed() + 1);
  FilterModel model(segment, *Rides().schema, null_handling);
  for (int tree = 0; tree < 150; ++tree) {
    INFO("tree " << tree);
    CheckAgainstModel(maker.Tree(3), segment, model, null_handling);
  }
}

TEST_CASE("a null row is neither TRUE nor FALSE under null handling, and its default without") {
  const segment::Segment& segment = *Rides().segments[0];
  FilterModel model(segment, *Rides().schema, true);
  const Predicate is_null = PredicateOf(Predicate::Kind::kIsNull, Rides().Column("rating"));
  const size_t nulls = model.Rows(Filter::Of(is_null), true).size();
  REQUIRE(nulls > 0);
  Predicate high = PredicateOf(Predicate::Kind::kRange, Rides().Column("rating"));
  high.lower = Value::Int(4);
  const Filter filter = Filter::Of(high);
  const size_t yes = Select(filter, segment, true, 100).size();
  const size_t no = Select(Filter::Not(filter), segment, true, 100).size();
  CHECK(yes > 0);
  CHECK(yes + no + nulls == segment.document_count());
  CHECK(Select(filter, segment, false, 100).size() +
            Select(Filter::Not(filter), segment, false, 100).size() ==
        segment.document_count());
}

TEST_CASE("without a filter every document comes once, in full batches") {
  std::vector<size_t> sizes;
  const Status status = ForEachMatch(nullptr, 1000, 300, [&](std::span<const uint32_t> docs) {
    sizes.push_back(docs.size());
    return Result<bool>(true);
  });
  CHECK(status.ok());
  CHECK(sizes == std::vector<size_t>{300, 300, 300, 100});
}

TEST_CASE("a visitor that wants no more, or fails, ends the walk") {
  int calls = 0;
  CHECK(ForEachMatch(nullptr, 1000, 10, [&](std::span<const uint32_t>) {
          return Result<bool>(++calls < 3);
        }).ok());
  CHECK(calls == 3);
  const Status status = ForEachMatch(nullptr, 1000, 10, [&](std::span<const uint32_t>) {
    return Result<bool>(Status::Internal("visitor"));
  });
  CHECK(status.message() == "visitor");
}

TEST_CASE("a filter over a column that neither segment nor schema has is refused by name") {
  SegmentSource source(*Rides().segments[0], *Rides().schema);
  int64_t scanned = 0;
  const Predicate predicate =
      PredicateOf(Predicate::Kind::kEqual,
                  plan::Expression::Column("altitude", {DataType::kInt, false}), {Value::Int(1)});
  const auto node = CompileFilter(Filter::Of(predicate), source, false, &scanned);
  CHECK(node.status().pinot_code() == PinotCode::kUnknownColumn);
  CHECK_THAT(node.status().message(), Catch::Contains("altitude"));
}

}  // namespace
}  // namespace trellis::server
