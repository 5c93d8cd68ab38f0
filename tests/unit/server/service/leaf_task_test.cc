#include "server/service/leaf_task.h"

#include <catch2/catch.hpp>

#include "common/segment_names/packed_names.h"
#include "tests/unit/server/service/leaf_requests.h"

namespace trellis::server {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("a stage is prepared with the segments of its list, in the list's order") {
  const auto names = SegmentNames();
  const auto prepared = PrepareStage(LeafRequestOf(CountStage(), Names{names[3], names[0]}),
                                     *ExampleInventory(), 1000);
  REQUIRE(prepared.status().message() == "");
  const auto segments = prepared->segments.segments();
  REQUIRE(segments.size() == 2);
  CHECK(segments[0]->name() == names[3]);
  CHECK(segments[1]->name() == names[0]);
  CHECK(prepared->statistics.segments_queried == 2);
  CHECK(prepared->statistics.documents_total == 2000);
  CHECK(prepared->statistics.list_encoding == "names");
  wire::LeafAccepted accepted;
  accepted.incarnation = ExampleRides()->incarnation();
  accepted.epoch = ExampleRides()->epoch();
  CHECK(prepared->accepted == accepted);
}

TEST_CASE("a list by ordinals pins its snapshot, without a copy when it means everything") {
  const auto rides = ExampleRides();
  const auto all = PrepareStage(LeafRequestOf(CountStage(), KnownOf(*rides, Roaring(), true)),
                                *ExampleInventory(), 1000);
  REQUIRE(all.status().message() == "");
  CHECK(all->segments.pin == rides);
  CHECK(all->segments.segments().data() == rides->segments().data());
  CHECK(all->statistics.list_encoding == "known");
  CHECK(all->statistics.segments_queried == 5);
  CHECK(all->statistics.documents_total == 5000);
  const auto some =
      PrepareStage(LeafRequestOf(CountStage(), KnownOf(*rides, Roaring::bitmapOf(2, 1, 4), false)),
                   *ExampleInventory(), 1000);
  REQUIRE(some.status().message() == "");
  REQUIRE(some->segments.segments().size() == 2);
  CHECK(some->segments.segments()[1] == rides->Find(4)->segment.get());
  CHECK_FALSE(some->accepted.stale);
  CHECK(some->accepted.missing_ordinals.isEmpty());
}

TEST_CASE("packed names are names") {
  segment_names::NameStore names;
  const std::vector<std::string> listed = SegmentNames();
  for (const std::string& name : listed) names.Append(name);
  names.Append("gone");
  std::string packed;
  std::string list;
  segment_names::Pack(names.View(), std::vector<uint32_t>{0, 2, 5}, packed);
  REQUIRE(wire::EncodePackedSegments("rides_OFFLINE", packed, list).ok());
  const auto prepared = PrepareStage(LeafRequestOf(CountStage(), list), *ExampleInventory(), 1000);
  REQUIRE(prepared.status().message() == "");
  CHECK(prepared->statistics.list_encoding == "packed");
  REQUIRE(prepared->segments.segments().size() == 2);
  CHECK(prepared->segments.segments()[0]->name() == listed[0]);
  CHECK(prepared->accepted.missing == std::vector<std::string>{"gone"});
}

TEST_CASE("ordinals that are gone are missing, segments without files too") {
  ServerInventory inventory({.snapshots_kept_max = 1});
  const auto table = inventory.Table("rides_OFFLINE", ExampleRides()->info());
  std::vector<InventorySegment> segments = RidesSegments();
  segments[1].segment = nullptr;
  const std::string no_file = segments[1].facts.name;
  const auto then = table->Apply(std::move(segments), {});
  const std::vector<std::string> drop{then->Find(3)->facts.name};
  table->Apply({}, drop);
  table->Apply({}, {}, ExampleRides()->info());
  const auto prepared = PrepareStage(
      LeafRequestOf(CountStage(), KnownOf(*then, then->alive(), false)), inventory, 1000);
  REQUIRE(prepared.status().message() == "");
  CHECK(prepared->accepted.missing_ordinals == Roaring::bitmapOf(2, 1, 3));
  CHECK(prepared->accepted.epoch == table->current()->epoch());
  CHECK(prepared->statistics.segments_queried == 3);
  const auto named = PrepareStage(LeafRequestOf(CountStage(), Names{no_file}), inventory, 1000);
  REQUIRE(named.status().message() == "");
  CHECK(named->accepted.missing == std::vector<std::string>{no_file});
}

TEST_CASE("a list of an inventory that is not here is stale and prepares nothing") {
  wire::KnownSegments known = KnownOf(*ExampleRides(), Roaring(), true);
  ++known.incarnation;
  const auto stale = PrepareStage(LeafRequestOf(CountStage(), known), *ExampleInventory(), 1000);
  REQUIRE(stale.status().message() == "");
  CHECK(stale->accepted.stale);
  CHECK(stale->accepted.incarnation == ExampleRides()->incarnation());
  CHECK(stale->accepted.epoch == ExampleRides()->epoch());
  CHECK(stale->query == nullptr);
  // A table that is not there has no inventory.
  plan::LeafStage stage = CountStage();
  stage.table = known.table = "trains_OFFLINE";
  const auto nowhere = PrepareStage(LeafRequestOf(stage, known), *ExampleInventory(), 1000);
  REQUIRE(nowhere.status().message() == "");
  CHECK(nowhere->accepted.stale);
  CHECK(nowhere->accepted.incarnation == 0);
}

TEST_CASE("ordinals of another table, or beside names of the same, are refused") {
  wire::KnownSegments known = KnownOf(*ExampleRides(), Roaring(), true);
  std::string list;
  REQUIRE(wire::EncodeKnownSegments(known, list).ok());
  std::string packed;
  segment_names::NameStore names;
  names.Append("a");
  segment_names::Pack(names.View(), std::vector<uint32_t>{0}, packed);
  REQUIRE(wire::EncodePackedSegments("stations_OFFLINE", packed, list).ok());
  const auto two = PrepareStage(LeafRequestOf(CountStage(), list), *ExampleInventory(), 1000);
  CHECK(two.status().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(two.status().message(), Catch::Contains("stations_OFFLINE"));
  known.table = "stations_OFFLINE";
  const auto other = PrepareStage(LeafRequestOf(CountStage(), known), *ExampleInventory(), 1000);
  CHECK(other.status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("an empty list is a list, no list is refused") {
  auto request = LeafRequestOf(CountStage(), std::vector<std::string>());
  const auto prepared = PrepareStage(request, *ExampleInventory(), 1000);
  REQUIRE(prepared.status().message() == "");
  CHECK(prepared->segments.segments().empty());
  request.segments.reset();
  const auto refused = PrepareStage(request, *ExampleInventory(), 1000);
  CHECK(refused.status().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(refused.status().message(), Catch::Contains("no segment list"));
}

TEST_CASE("a list keyed by another type or table than the stage's is refused") {
  for (const char* key : {"OFFLINE", "rides_OFFLINE"}) {
    CHECK(PrepareStage(LeafRequestOf(CountStage(), SegmentNames(), key), *ExampleInventory(), 10)
              .ok());
  }
  for (const char* key : {"REALTIME", "stations_OFFLINE", ""}) {
    INFO(key);
    const auto refused =
        PrepareStage(LeafRequestOf(CountStage(), SegmentNames(), key), *ExampleInventory(), 10);
    CHECK(refused.status().code() == StatusCode::kInvalidArgument);
    CHECK_THAT(refused.status().message(), Catch::Contains("rides_OFFLINE"));
  }
}

TEST_CASE("segments of a table that is not there are all missing") {
  plan::LeafStage stage = CountStage();
  stage.table = "trains_OFFLINE";
  const auto prepared =
      PrepareStage(LeafRequestOf(stage, Names{"a", "b"}), *ExampleInventory(), 1000);
  REQUIRE(prepared.status().message() == "");
  CHECK(prepared->accepted.missing == std::vector<std::string>{"a", "b"});
  CHECK(prepared->segments.segments().empty());
}

// That the list is refused, naming the segment.
void CheckNamedTwice(const wire::LeafRequest& request, const std::string& name) {
  const auto refused = PrepareStage(request, *InventoryWithBrokenSegment(), 1000);
  CHECK(refused.status().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(refused.status().message(), Catch::Contains("'" + name + "' twice"));
}

TEST_CASE("a list that names a segment twice is refused and the segment named") {
  const Names rides = SegmentNames();
  CheckNamedTwice(LeafRequestOf(CountStage(), Names{rides[0], rides[1], rides[0]}), rides[0]);
  CheckNamedTwice(LeafRequestOf(CountStage(), Names{"gone", rides[1], "gone"}), "gone");
  CheckNamedTwice(LeafRequestOf(CountStage(), Names{"torn", rides[1], "torn"}), "torn");
  plan::LeafStage nowhere = CountStage();
  nowhere.table = "trains_OFFLINE";
  CheckNamedTwice(LeafRequestOf(nowhere, Names{"a", "b", "a"}), "a");
  for (const auto encoding :
       {wire::SegmentListEncoding::kNames, wire::SegmentListEncoding::kLegacyJson}) {
    INFO(wire::SegmentListEncodingName(encoding));
    const auto& codec = wire::SegmentListCodecOf(encoding);
    // One group each for the type and the table, and one group alone.
    const std::vector<wire::SegmentListGroup> groups{{"OFFLINE", {rides[3], rides[2]}},
                                                     {"rides_OFFLINE", {rides[4], rides[2]}}};
    std::string list;
    REQUIRE(codec.Encode(groups, list).ok());
    CheckNamedTwice(LeafRequestOf(CountStage(), list), rides[2]);
    const wire::SegmentListGroup group{"OFFLINE", {rides[3], rides[3]}};
    list.clear();
    REQUIRE(codec.Encode(std::span(&group, 1), list).ok());
    CheckNamedTwice(LeafRequestOf(CountStage(), list), rides[3]);
  }
}

TEST_CASE("missing and broken segments are told apart") {
  const auto prepared = PrepareStage(LeafRequestOf(CountStage(), Names{"gone", "torn"}),
                                     *InventoryWithBrokenSegment(), 1000);
  REQUIRE(prepared.status().message() == "");
  CHECK(prepared->accepted.missing == std::vector<std::string>{"gone"});
  REQUIRE(prepared->accepted.broken.size() == 1);
  CHECK(prepared->accepted.broken[0] == wire::BrokenSegment{"torn", "cut short"});
}

TEST_CASE("a stage over a refused table answers why") {
  ServerInventory inventory;
  TableInfo info;
  info.name = "rides_OFFLINE";
  info.refused = "upsert tables (upsertConfig) are not supported yet";
  info.schema = std::make_shared<const Schema>();
  inventory.Table(info.name, info);
  const auto refused =
      PrepareStage(LeafRequestOf(CountStage(), std::vector<std::string>()), inventory, 1000);
  CHECK(refused.status().code() == StatusCode::kFailedPrecondition);
  CHECK(refused.status().pinot_code() == PinotCode::kQueryValidation);
  CHECK_THAT(refused.status().message(), Catch::Contains("upsertConfig"));
}

TEST_CASE("bytes that are no stage or no list, and functions that are not there, are refused") {
  auto request = LeafRequestOf(CountStage(), SegmentNames());
  const auto good = request;
  request.stage = wire::SharedBytes::Own("\xff\xff\xff not a stage");
  CHECK(PrepareStage(request, *ExampleInventory(), 10).status().code() ==
        StatusCode::kInvalidArgument);
  request = good;
  request.segments = wire::SharedBytes::Own("\xff\xff\xff not a list");
  CHECK(PrepareStage(request, *ExampleInventory(), 10).status().code() ==
        StatusCode::kInvalidArgument);
  plan::LeafStage stage = CountStage();
  stage.aggregates[0].function = "nosuchaggregate";
  CHECK_FALSE(PrepareStage(LeafRequestOf(stage, SegmentNames()), *ExampleInventory(), 10).ok());
}

TEST_CASE("a block is cut into parts near the target that hold its rows in order") {
  Block block;
  block.rows = 1000;
  block.columns.emplace_back(DataType::kString);
  block.columns.emplace_back(DataType::kInt);
  for (int i = 0; i < 1000; ++i) {
    block.columns[0].Append(Value::String(fmt::format("a text of some thirty bytes {:04d}", i)));
    block.columns[1].Append(Value::Int(i));
  }
  CHECK(SplitBlock(block, 1 << 20).size() == 1);
  for (const size_t target : {size_t{1}, size_t{100}, size_t{4000}, size_t{20'000}}) {
    INFO("target " << target);
    const auto parts = SplitBlock(block, target);
    CHECK(parts.size() > 1);
    int32_t next = 0;
    for (const Block& part : parts) {
      REQUIRE(part.rows > 0);
      CHECK(part.rows * 40 <= std::max<size_t>(target, 40));
      for (size_t row = 0; row < part.rows; ++row)
        CHECK(part.columns[1].Get(row) == Value::Int(next++));
    }
    CHECK(next == 1000);
  }
}

TEST_CASE("a block without rows is one part") {
  Block block;
  block.columns.emplace_back(DataType::kInt);
  CHECK(SplitBlock(block, 1).size() == 1);
  CHECK(SplitBlock({}, 1).size() == 1);
}

}  // namespace
}  // namespace trellis::server
