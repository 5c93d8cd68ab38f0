#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/wire/leaf_messages.h"
#include "common/wire/plan_codec.h"
#include "common/wire/segment_list_codec.h"
#include "server/store/data_directory.h"

namespace trellis::server {

// The example data. Shared by the tests of a binary, which leave it as it is.
inline std::shared_ptr<ServerInventory> ExampleInventory() {
  static const auto inventory = DataDirectory::Open(TRELLIS_EXAMPLE_DATA, {}).value()->inventory();
  return inventory;
}

inline std::shared_ptr<const InventorySnapshot> ExampleRides() {
  return ExampleInventory()->Find("rides_OFFLINE")->current();
}

// The segments of the example's rides, for an inventory of the test's own.
inline std::vector<InventorySegment> RidesSegments() {
  std::vector<InventorySegment> segments;
  const auto rides = ExampleRides();
  for (const uint32_t ordinal : rides->alive()) segments.push_back(*rides->Find(ordinal));
  return segments;
}

// Rides alone, with one more segment, `torn`, that could not be opened.
inline std::shared_ptr<ServerInventory> InventoryWithBrokenSegment() {
  auto inventory = std::make_shared<ServerInventory>();
  TableInfo info = ExampleRides()->info();
  info.broken.push_back({"torn", "cut short"});
  inventory->Table(info.name, info)->Apply(RidesSegments(), {});
  return inventory;
}

inline std::vector<std::string> SegmentNames() {
  std::vector<std::string> names;
  for (const InventorySegment& segment : RidesSegments()) names.push_back(segment.facts.name);
  return names;
}

// Rides' segments over and over, each time by another name: copy_0 and so on.
inline std::vector<std::string> CopyNames(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back("copy_" + std::to_string(i));
  return names;
}
inline std::shared_ptr<ServerInventory> InventoryOfCopies(size_t count) {
  const std::vector<InventorySegment> rides = RidesSegments();
  std::vector<InventorySegment> copies;
  for (std::string& name : CopyNames(count)) {
    copies.push_back(rides[copies.size() % rides.size()]);
    copies.back().facts.name = std::move(name);
  }
  auto inventory = std::make_shared<ServerInventory>();
  inventory->Table("rides_OFFLINE", ExampleRides()->info())->Apply(std::move(copies), {});
  return inventory;
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
  const Schema& schema = *ExampleRides()->info().schema;
  for (const std::string& column : columns)
    stage.select.push_back(plan::Expression::Column(column, schema.Find(column)->value_type()));
  stage.limit = limit;
  return stage;
}

inline wire::LeafRequest LeafRequestOf(const plan::LeafStage& stage, std::string list) {
  wire::LeafRequest request;
  request.query_id = "query-1";
  request.timeout_ms = 60'000;
  request.stage = wire::SharedBytes::Own(wire::EncodeLeafStage(stage));
  request.segments = wire::SharedBytes::Own(std::move(list));
  return request;
}

inline wire::LeafRequest LeafRequestOf(const plan::LeafStage& stage,
                                       const wire::KnownSegments& known) {
  std::string list;
  REQUIRE(wire::EncodeKnownSegments(known, list).ok());
  return LeafRequestOf(stage, std::move(list));
}

// A list of ordinals in a snapshot.
inline wire::KnownSegments KnownOf(const InventorySnapshot& snapshot, Roaring ordinals,
                                   bool all_but) {
  wire::KnownSegments known;
  known.table = snapshot.info().name;
  known.incarnation = snapshot.incarnation();
  known.epoch = snapshot.epoch();
  known.all_but = all_but;
  known.count = all_but ? (snapshot.alive() - ordinals).cardinality() : ordinals.cardinality();
  known.ordinals = std::move(ordinals);
  return known;
}

inline wire::LeafRequest LeafRequestOf(const plan::LeafStage& stage,
                                       const std::vector<std::string>& segments,
                                       const std::string& key = "OFFLINE") {
  wire::SegmentListGroup group{key, {segments.begin(), segments.end()}};
  std::string list;
  REQUIRE(wire::SegmentListCodecOf(wire::SegmentListEncoding::kNames)
              .Encode(std::span(&group, 1), list)
              .ok());
  return LeafRequestOf(stage, std::move(list));
}

}  // namespace trellis::server
