#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/wire/leaf_messages.h"
#include "common/wire/plan_codec.h"
#include "common/wire/segment_list_codec.h"
#include "server/store/table_store.h"

namespace trellis::server {

inline std::shared_ptr<const StoreSnapshot> ExampleStore() {
  static const auto store = LoadDataDirectory(TRELLIS_EXAMPLE_DATA, {}).value();
  return store;
}

// The example data with one more segment of rides, `torn`, that could not be opened.
inline std::shared_ptr<const StoreSnapshot> StoreWithBrokenSegment() {
  auto store = std::make_shared<StoreSnapshot>(*ExampleStore());
  auto table = std::make_shared<TableStore>(*store->tables.at("rides_OFFLINE"));
  table->broken.push_back({"torn", "cut short"});
  store->tables["rides_OFFLINE"] = table;
  return store;
}

inline std::vector<std::string> SegmentNames() {
  std::vector<std::string> names;
  for (const auto& segment : ExampleStore()->tables.at("rides_OFFLINE")->segments)
    names.push_back(segment->name());
  return names;
}

inline plan::LeafStage CountStage() {
  plan::LeafStage stage;
  stage.table = "rides_OFFLINE";
  stage.shape = plan::QueryShape::kAggregate;
  stage.aggregates.emplace_back().function = "count";
  return stage;
}

inline plan::LeafStage SelectStage(const std::vector<std::string>& columns, int64_t limit) {
  plan::LeafStage stage;
  stage.table = "rides_OFFLINE";
  const Schema& schema = *ExampleStore()->tables.at("rides_OFFLINE")->schema;
  for (const std::string& column : columns)
    stage.select.push_back(plan::Expression::Column(column, schema.Find(column)->value_type()));
  stage.limit = limit;
  return stage;
}

inline wire::LeafRequest LeafRequestOf(const plan::LeafStage& stage,
                                       const std::vector<std::string>& segments,
                                       const std::string& key = "OFFLINE") {
  wire::LeafRequest request;
  request.query_id = "query-1";
  request.timeout_ms = 60'000;
  request.stage = wire::SharedBytes::Own(wire::EncodeLeafStage(stage));
  wire::SegmentListGroup group{key, {segments.begin(), segments.end()}};
  std::string list;
  REQUIRE(wire::SegmentListCodecOf(wire::SegmentListEncoding::kNames)
              .Encode(std::span(&group, 1), list)
              .ok());
  request.segments = wire::SharedBytes::Own(list);
  return request;
}

}  // namespace trellis::server
