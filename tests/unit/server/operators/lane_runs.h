#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/grouping/group_table.h"
#include "server/operators/lane.h"
#include "tests/unit/server/operators/filter_maker.h"

namespace trellis::server {

using TextRow = std::vector<std::string>;

inline std::string Text(const Value& value) {
  if (!value.is_array()) return value.is_null() ? "null" : ValueToText(value);
  std::string text = "[";
  for (const Value& element : value.elements()) text += ValueToText(element) + ",";
  return text + "]";
}

inline std::vector<TextRow> TextRows(const Block& block) {
  std::vector<TextRow> rows(block.rows);
  for (const ColumnVector& column : block.columns)
    for (size_t row = 0; row < block.rows; ++row) rows[row].push_back(Text(column.Get(row)));
  return rows;
}

inline std::vector<TextRow> Sorted(std::vector<TextRow> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

inline std::shared_ptr<LeafQuery> MakeQuery(plan::LeafStage stage, size_t groups_max = 100'000) {
  auto query = LeafQuery::Create(std::move(stage), Rides().schema, groups_max);
  REQUIRE(query.status().message() == "");
  return *query;
}

struct LaneAnswer {
  Block block;
  ScanStatistics statistics;
};

// Runs the stage with `lane_count` lanes that take the segments in turn, then folds the lanes in
// the order that `seed` gives.
inline LaneAnswer RunLanes(const std::shared_ptr<LeafQuery>& query, size_t lane_count,
                           uint64_t seed = 0) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (size_t i = 0; i < lane_count; ++i) lanes.push_back(Lane::Create(query).value());
  auto segments = Rides().segments;
  std::mt19937_64 random(seed);
  std::shuffle(segments.begin(), segments.end(), random);
  for (size_t i = 0; i < segments.size(); ++i)
    REQUIRE(lanes[i % lane_count]->Process(*segments[i]).message() == "");
  std::shuffle(lanes.begin(), lanes.end(), random);
  for (size_t i = 1; i < lane_count; ++i) REQUIRE(lanes[0]->Absorb(*lanes[i]).message() == "");
  auto block = lanes[0]->Finish();
  REQUIRE(block.status().message() == "");
  return {std::move(*block), lanes[0]->statistics()};
}

// What a broker makes of a group lane's block: keys, then final values.
inline std::vector<TextRow> FinishedRows(const LeafQuery& query, const Block& block) {
  std::vector<ValueType> key_types;
  for (size_t i = 0; i < query.stage.keys.size(); ++i)
    key_types.push_back(block.columns.at(i).value_type());
  GroupTable table(key_types, query.functions, query.stage.null_handling, 1'000'000);
  REQUIRE(table.Merge(block).message() == "");
  return Sorted(TextRows(table.Finish().value()));
}

inline plan::AggregateCall Call(std::string function,
                                std::vector<plan::Expression> arguments = {}) {
  plan::AggregateCall call;
  call.function = std::move(function);
  call.arguments = std::move(arguments);
  return call;
}

inline plan::Filter RatingAtLeast(int32_t rating) {
  plan::Predicate predicate;
  predicate.kind = plan::Predicate::Kind::kRange;
  predicate.subject = Rides().Column("rating");
  predicate.lower = Value::Int(rating);
  predicate.lower_inclusive = true;
  return plan::Filter::Of(predicate);
}

}  // namespace trellis::server
