#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/server/operators/lane_runs.h"

namespace trellis::server {
namespace {

using plan::LeafStage;
using plan::SortItem;

LeafStage Select(std::vector<const char*> columns, int64_t limit) {
  LeafStage stage;
  stage.table = "rides_OFFLINE";
  for (const char* column : columns) stage.select.push_back(Rides().Column(column));
  stage.limit = limit;
  return stage;
}

// Every row of the table for which the stage's filter is TRUE: sort values, then select values.
struct ModelRow {
  std::vector<Value> sort;  // null where null and null handling is on
  TextRow all;
};

std::vector<ModelRow> MatchingRows(const LeafStage& stage) {
  std::vector<ModelRow> rows;
  for (const auto& segment : Rides().segments) {
    FilterModel filter(*segment, *Rides().schema, stage.null_handling);
    std::vector<ScannedColumn> columns;
    for (const SortItem& item : stage.order_by)
      columns.push_back(Scan(*segment, *Rides().schema, item.expression));
    for (const plan::Expression& expression : stage.select)
      columns.push_back(Scan(*segment, *Rides().schema, expression));
    for (size_t row = 0; row < segment->document_count(); ++row) {
      if (filter.Test(stage.filter, row) != true) continue;
      ModelRow made;
      for (size_t c = 0; c < columns.size(); ++c) {
        const Value value =
            stage.null_handling && columns[c].nulls[row] ? Value::Null() : columns[c].values[row];
        if (c < stage.order_by.size()) made.sort.push_back(value);
        made.all.push_back(Text(value));
      }
      rows.push_back(std::move(made));
    }
  }
  return rows;
}

bool Before(const LeafStage& stage, const ModelRow& a, const ModelRow& b) {
  for (size_t i = 0; i < stage.order_by.size(); ++i) {
    const SortItem& item = stage.order_by[i];
    const Value& x = a.sort[i];
    const Value& y = b.sort[i];
    if (x.is_null() != y.is_null()) return x.is_null() == item.nulls_first;
    if (x.is_null()) continue;
    const int order = CompareValues(x, y);
    if (order != 0) return (order < 0) == item.ascending;
  }
  return false;
}

// Sort columns of the answer must be those of the full sort; each row must be a row of the table.
// A null sort value without null handling is compared through its default.
void CheckOrdered(const LeafStage& stage, const Block& block) {
  auto expected = MatchingRows(stage);
  std::multiset<TextRow> known;
  for (const ModelRow& row : expected) known.insert(row.all);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](const auto& a, const auto& b) { return Before(stage, a, b); });
  Block shown = block;
  if (!stage.null_handling)
    for (ColumnVector& column : shown.columns) column.ClearNulls();
  const auto rows = TextRows(shown);
  REQUIRE(rows.size() == std::min<size_t>(expected.size(), static_cast<size_t>(stage.limit)));
  for (size_t i = 0; i < rows.size(); ++i) {
    INFO("row " << i);
    const auto keys = static_cast<ptrdiff_t>(stage.order_by.size());
    CHECK(std::equal(rows[i].begin(), rows[i].begin() + keys, expected[i].all.begin()));
    const auto found = known.find(rows[i]);
    REQUIRE(found != known.end());
    known.erase(found);
  }
}

TEST_CASE("ORDER BY gives the first rows of a sort of all rows, ties and nulls included") {
  const bool null_handling = GENERATE(false, true);
  const bool filtered = GENERATE(false, true);
  for (const int64_t limit : {1, 10, 997, 5000, 20'000}) {
    for (const bool ascending : {true, false}) {
      for (const bool nulls_first : {true, false}) {
        LeafStage stage = Select({"trip_id", "tags", "comment"}, limit);
        stage.null_handling = null_handling;
        if (filtered) stage.filter = RatingAtLeast(2);
        stage.order_by = {{Rides().Column("rating"), ascending, nulls_first},
                          {Rides().Column("comment"), true, nulls_first},
                          {Rides().Column("minutes"), !ascending, false}};
        INFO("null handling " << null_handling << ", filtered " << filtered << ", limit " << limit
                              << ", ascending " << ascending << ", nulls first " << nulls_first);
        CheckOrdered(stage, RunLanes(MakeQuery(stage), 3).block);
      }
    }
  }
}

TEST_CASE("lanes give the same sorted rows however they are dealt and absorbed") {
  INFO("--rng-seed " << RandomSeed());
  LeafStage stage = Select({"station", "stops"}, 300);
  stage.order_by = {{Rides().Column("fare"), false, false},
                    {Rides().Column("trip_id"), true, false}};
  const auto expected = TextRows(RunLanes(MakeQuery(stage), 1).block);
  REQUIRE(expected.size() == 300);
  for (uint64_t round = 0; round < 8; ++round) {
    const auto answer = RunLanes(MakeQuery(stage), 1 + round % 5, RandomSeed() + round);
    CHECK(TextRows(answer.block) == expected);
    CHECK(answer.statistics.documents_scanned == 5000);
  }
}

TEST_CASE("a selection without order answers rows of the table, as many as asked") {
  for (const int64_t limit : {0, 1, 10, 1500, 5000, 9000}) {
    for (const size_t lanes : {1, 4}) {
      INFO("limit " << limit << ", lanes " << lanes);
      LeafStage stage = Select({"trip_id", "station"}, limit);
      const LaneAnswer answer = RunLanes(MakeQuery(stage), lanes);
      const auto rows = TextRows(answer.block);
      CHECK(rows.size() == std::min<size_t>(static_cast<size_t>(limit), 5000));
      CHECK(std::set<TextRow>(rows.begin(), rows.end()).size() == rows.size());
      // One lane reads no row too many; others may each be in a batch when the limit is reached.
      const auto row_count = static_cast<int64_t>(rows.size());
      CHECK(answer.statistics.documents_scanned >= row_count);
      if (lanes == 1) CHECK(answer.statistics.documents_scanned == row_count);
      CHECK(answer.block.columns.size() == 2);
    }
  }
}

TEST_CASE("a null cell is NULL under null handling and the column's default without") {
  LeafStage stage = Select({"rating"}, 5000);
  const auto count_nulls = [](const Block& block) {
    size_t nulls = 0;
    for (size_t row = 0; row < block.rows; ++row) nulls += block.columns[0].is_null(row);
    return nulls;
  };
  CHECK(count_nulls(RunLanes(MakeQuery(stage), 1).block) == 0);
  stage.null_handling = true;
  CHECK(count_nulls(RunLanes(MakeQuery(stage), 1).block) > 0);
}

TEST_CASE("a MAP column leaves as JSON text") {
  LeafStage stage = Select({"weather"}, 3);
  const Block block = RunLanes(MakeQuery(stage), 1).block;
  const auto rows = TextRows(block);
  REQUIRE(rows.size() == 3);
  CHECK(block.columns[0].values<std::string_view>()[0].starts_with("{\""));
}

TEST_CASE("a multi-value or MAP sort key is refused") {
  for (const char* column : {"tags", "weather"}) {
    LeafStage stage = Select({"trip_id"}, 3);
    stage.order_by = {{Rides().Column(column), true, false}};
    const auto lane = Lane::Create(MakeQuery(stage));
    CHECK(lane.status().pinot_code() == PinotCode::kQueryValidation);
  }
}

TEST_CASE("a cancelled selection ends with CANCELLED") {
  const bool ordered = GENERATE(false, true);
  LeafStage stage = Select({"trip_id"}, 3);
  if (ordered) stage.order_by = {{Rides().Column("fare"), true, false}};
  const auto query = MakeQuery(stage);
  auto lane = Lane::Create(query).value();
  query->cancelled.store(true);
  CHECK(lane->Process(*Rides().segments[0]).code() == StatusCode::kCancelled);
}

TEST_CASE("keys of a MAP are read once for the filter, and again for the rows it leaves") {
  plan::LeafStage stage;
  stage.shape = plan::QueryShape::kSelection;
  stage.limit = 10'000;
  const auto key = [](const char* name) {
    return plan::Expression::MapKey("meters", name, {DataType::kInt, false});
  };
  plan::Predicate predicate;
  predicate.kind = plan::Predicate::Kind::kRange;
  predicate.subject = key("length");
  predicate.lower = Value::Int(9000);
  stage.filter = plan::Filter::Of(predicate);
  const auto reads_of = [&](const std::vector<plan::Expression>& select) {
    stage.select = select;
    const LaneAnswer answer = RunLanes(MakeQuery(stage), 1);
    REQUIRE(answer.block.rows > 100);
    REQUIRE(answer.block.rows < 2500);
    CHECK(answer.statistics.map_reads.frames_read == 5000 + answer.block.rows);
    CHECK(answer.statistics.map_reads.frames_walked == 5000 + answer.block.rows);
    CHECK(answer.statistics.entries_scanned_post_filter == static_cast<int64_t>(answer.block.rows));
  };
  std::vector<plan::Expression> select = {key("length")};
  reads_of(select);
  while (select.size() < 16) select.push_back(key(fmt::format("k{}", select.size()).c_str()));
  reads_of(select);
  while (select.size() < 81) select.push_back(key(fmt::format("k{}", select.size()).c_str()));
  reads_of(select);
  select.push_back(Rides().Column("meters"));
  reads_of(select);
}

}  // namespace
}  // namespace trellis::server
