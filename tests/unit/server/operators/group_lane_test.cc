#include <catch2/catch.hpp>

#include "tests/unit/server/operators/lane_runs.h"

namespace trellis::server {
namespace {

using plan::Expression;
using plan::LeafStage;
using plan::QueryShape;

LeafStage GroupBy(std::vector<Expression> keys, bool null_handling) {
  LeafStage stage;
  stage.table = "rides_OFFLINE";
  stage.shape = QueryShape::kGroupBy;
  stage.keys = std::move(keys);
  stage.aggregates = {Call("count"), Call("sum", {Rides().Column("minutes")})};
  stage.null_handling = null_handling;
  return stage;
}

// Counts and sums rows one by one. Multi-value keys count a row once an element.
std::vector<TextRow> Model(const LeafStage& stage) {
  std::map<TextRow, std::pair<int64_t, double>> groups;
  for (const auto& segment : Rides().segments) {
    FilterModel filter(*segment, *Rides().schema, stage.null_handling);
    const ScannedColumn minutes = Scan(*segment, *Rides().schema, Rides().Column("minutes"));
    std::vector<ScannedColumn> keys;
    for (const Expression& key : stage.keys) keys.push_back(Scan(*segment, *Rides().schema, key));
    for (size_t row = 0; row < segment->document_count(); ++row) {
      if (filter.Test(stage.filter, row) != true) continue;
      std::vector<TextRow> combinations(1);
      for (const ScannedColumn& key : keys) {
        std::vector<Value> values = {key.values[row]};
        if (stage.null_handling && key.nulls[row]) values = {Value::Null()};
        if (values[0].is_array()) values = key.values[row].elements();
        std::vector<TextRow> longer;
        for (const TextRow& prefix : combinations) {
          for (const Value& value : values) {
            longer.push_back(prefix);
            longer.back().push_back(Text(value));
          }
        }
        combinations = std::move(longer);
      }
      for (const TextRow& key : combinations) {
        ++groups[key].first;
        groups[key].second += minutes.values[row].int32();
      }
    }
  }
  std::vector<TextRow> rows;
  for (const auto& [key, state] : groups) {
    rows.push_back(key);
    rows.back().push_back(ValueToText(Value::Long(state.first)));
    rows.back().push_back(ValueToText(Value::Double(state.second)));
  }
  return Sorted(rows);
}

TEST_CASE("groups by dictIds, by values and by elements are those of a count row by row") {
  const bool null_handling = GENERATE(false, true);
  const ExampleRides& rides = Rides();
  const std::vector<std::vector<Expression>> key_lists = {
      {rides.Column("station")},
      {rides.Column("rating")},
      {rides.Column("station"), rides.Column("rating"), rides.Column("day")},
      {rides.Column("bike_id"), rides.Column("station"), rides.Column("started_at")},
      {rides.Column("minutes"), rides.Column("station")},
      {rides.Column("comment")},
      {rides.Column("tags")},
      {rides.Column("tags"), rides.Column("rating"), rides.Column("stops")},
      {Expression::MapKey("weather", "sky", {DataType::kString, false})},
  };
  for (const auto& keys : key_lists) {
    for (const bool filtered : {false, true}) {
      LeafStage stage = GroupBy(keys, null_handling);
      if (filtered) stage.filter = RatingAtLeast(3);
      INFO("first key " << plan::PrintExpression(keys[0]) << " of " << keys.size()
                        << ", null handling " << null_handling << ", filtered " << filtered);
      const auto query = MakeQuery(stage);
      CHECK(FinishedRows(*query, RunLanes(query, 2).block) == Model(stage));
    }
  }
}

TEST_CASE("a key beside dictionary keys that sends them through values changes no group") {
  const bool null_handling = GENERATE(false, true);
  const std::vector<Expression> keys = {Rides().Column("station"), Rides().Column("rating")};
  const auto by_id = MakeQuery(GroupBy(keys, null_handling));
  std::vector<Expression> more = keys;
  more.push_back(Expression::Literal(Value::Int(1)));
  const auto by_value = MakeQuery(GroupBy(more, null_handling));
  auto rows = FinishedRows(*by_value, RunLanes(by_value, 1).block);
  for (TextRow& row : rows) row.erase(row.begin() + 2);
  CHECK(FinishedRows(*by_id, RunLanes(by_id, 1).block) == Sorted(rows));
}

TEST_CASE("lanes give the same groups however segments are dealt and lanes absorbed") {
  INFO("--rng-seed " << RandomSeed());
  const auto stage = GroupBy({Rides().Column("station"), Rides().Column("tags")}, true);
  const auto query = MakeQuery(stage);
  const auto expected = FinishedRows(*query, RunLanes(query, 1).block);
  for (uint64_t round = 0; round < 10; ++round) {
    const auto again = RunLanes(query, 1 + round % 5, RandomSeed() + round);
    CHECK(FinishedRows(*query, again.block) == expected);
    CHECK(again.statistics.documents_scanned == 5000);
    CHECK(again.statistics.segments_processed == 5);
  }
}

TEST_CASE("an aggregation's FILTER narrows that aggregation alone") {
  const bool null_handling = GENERATE(false, true);
  for (const char* key : {"station", "minutes", "tags"}) {
    INFO(key);
    LeafStage stage = GroupBy({Rides().Column(key)}, null_handling);
    auto filtered = Call("count");
    filtered.filter = RatingAtLeast(4);
    stage.aggregates.push_back(filtered);
    const auto query = MakeQuery(stage);
    const auto rows = FinishedRows(*query, RunLanes(query, 3).block);
    LeafStage only = GroupBy({Rides().Column(key)}, null_handling);
    only.filter = RatingAtLeast(4);
    std::map<std::string, std::string> expected;
    for (const TextRow& row : Model(only)) expected[row[0]] = row[1];
    std::vector<TextRow> unfiltered;
    for (const TextRow& row : rows) {
      const auto found = expected.find(row[0]);
      CHECK(row[3] == (found == expected.end() ? "0" : found->second));
      unfiltered.push_back({row[0], row[1], row[2]});
    }
    CHECK(unfiltered == Model(GroupBy({Rides().Column(key)}, null_handling)));
  }
}

TEST_CASE("groups beyond groups_max are dropped and told, those kept are whole") {
  for (const char* key : {"station", "minutes", "stops"}) {
    INFO(key);
    LeafStage stage = GroupBy({Rides().Column(key)}, false);
    const std::vector<TextRow> all = Model(stage);
    stage.groups_max = 7;
    REQUIRE(all.size() > 7);
    const auto query = MakeQuery(stage);
    const LaneAnswer answer = RunLanes(query, 1);
    CHECK(answer.statistics.groups_limit_reached);
    const auto rows = FinishedRows(*query, answer.block);
    CHECK(rows.size() == 7);
    for (const TextRow& row : rows) CHECK(std::find(all.begin(), all.end(), row) != all.end());
  }
}

TEST_CASE("the server's own limit of groups holds against a stage that asks for more") {
  LeafStage stage = GroupBy({Rides().Column("minutes")}, false);
  stage.groups_max = 1'000'000;
  const LaneAnswer answer = RunLanes(MakeQuery(stage, 5), 1);
  CHECK(answer.block.rows == 5);
  CHECK(answer.statistics.groups_limit_reached);
  stage.groups_max = 0;
  CHECK_FALSE(RunLanes(MakeQuery(stage), 1).statistics.groups_limit_reached);
}

TEST_CASE("an aggregation over no rows answers one row, a grouping none") {
  LeafStage stage = GroupBy({}, false);
  stage.shape = QueryShape::kAggregate;
  stage.filter = plan::Filter::False();
  const auto query = MakeQuery(stage);
  const LaneAnswer answer = RunLanes(query, 2);
  const auto rows = FinishedRows(*query, answer.block);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0][0] == "0");
  CHECK(answer.statistics.segments_pruned_by_value == 5);
  LeafStage grouping = GroupBy({Rides().Column("station")}, false);
  grouping.filter = plan::Filter::False();
  CHECK(RunLanes(MakeQuery(grouping), 2).block.rows == 0);
}

TEST_CASE("DISTINCT keeps each value once and stops at its limit") {
  LeafStage stage = GroupBy({Rides().Column("station")}, false);
  stage.shape = QueryShape::kDistinct;
  const size_t stations = Model(stage).size();
  stage.aggregates.clear();
  stage.limit = 1000;
  CHECK(RunLanes(MakeQuery(stage), 3).block.rows == stations);
  stage.limit = 3;
  auto lane = Lane::Create(MakeQuery(stage)).value();
  CHECK_FALSE(lane->Satisfied());
  REQUIRE(lane->Process(*Rides().segments[0]).ok());
  CHECK(lane->Satisfied());
  CHECK(lane->Finish()->rows >= 3);
}

TEST_CASE("a cancelled query ends its lane with CANCELLED") {
  const auto query = MakeQuery(GroupBy({Rides().Column("station")}, false));
  auto lane = Lane::Create(query).value();
  query->cancelled.store(true);
  CHECK(lane->Process(*Rides().segments[0]).code() == StatusCode::kCancelled);
}

TEST_CASE("keys of one MAP in group keys and aggregations are found in one walk") {
  const auto key = [](const char* name) {
    return plan::Expression::MapKey("meters", name, {DataType::kInt, false});
  };
  plan::LeafStage stage;
  stage.shape = plan::QueryShape::kGroupBy;
  stage.keys = {
      plan::Expression::Function("mod", {DataType::kDouble, false},
                                 {key("length"), plan::Expression::Literal(Value::Int(7))})};
  stage.aggregates = {Call("sum", {key("climb")}), Call("max", {key("length")}),
                      Call("min", {key("nothing")})};
  const LaneAnswer answer = RunLanes(MakeQuery(stage), 1);
  CHECK(answer.block.rows == 7);
  CHECK(answer.statistics.map_reads.frames_read == 5000);
  CHECK(answer.statistics.map_reads.frames_walked == 5000);
  CHECK(answer.statistics.entries_scanned_post_filter == 5000);
}

TEST_CASE("aggregations' own filters share the frames of the batch with what they filter") {
  const auto key = [](const char* name) {
    return plan::Expression::MapKey("meters", name, {DataType::kInt, false});
  };
  const auto at_least = [&](const char* name, int32_t lower) {
    plan::Predicate predicate;
    predicate.kind = plan::Predicate::Kind::kRange;
    predicate.subject = key(name);
    predicate.lower = Value::Int(lower);
    predicate.lower_inclusive = true;
    return plan::Filter::Of(predicate);
  };
  const auto run = [&](const std::vector<std::optional<plan::Filter>>& filters) {
    plan::LeafStage stage;
    stage.shape = plan::QueryShape::kAggregate;
    for (const auto& filter : filters) {
      stage.aggregates.push_back(Call("sum", {key("length")}));
      stage.aggregates.back().filter = filter;
    }
    const auto query = MakeQuery(stage);
    const LaneAnswer answer = RunLanes(query, 1);
    CHECK(answer.statistics.map_reads.frames_read == 5000);
    CHECK(answer.statistics.map_reads.frames_walked == 5000);
    return FinishedRows(*query, answer.block)[0];
  };
  const plan::Filter steep = at_least("climb", 20);
  const plan::Filter far = plan::Filter::And({at_least("length", 9000), at_least("climb", 1)});
  const TextRow together = run({std::nullopt, steep, far});
  CHECK(together[1] != together[0]);
  CHECK(together[2] != together[0]);
  CHECK(TextRow{together[1]} == run({steep}));
  CHECK(TextRow{together[2]} == run({far}));

  // The same as a WHERE.
  plan::LeafStage stage;
  stage.shape = plan::QueryShape::kAggregate;
  stage.aggregates = {Call("sum", {key("length")})};
  stage.filter = far;
  const auto query = MakeQuery(stage);
  CHECK(FinishedRows(*query, RunLanes(query, 1).block)[0] == TextRow{together[2]});
}

}  // namespace
}  // namespace trellis::server
