#include "server/service/leaf_task.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/service/leaf_requests.h"

namespace trellis::server {
namespace {

TEST_CASE("a stage is prepared with the segments of its list, in the list's order") {
  const auto names = SegmentNames();
  const auto prepared =
      PrepareStage(LeafRequestOf(CountStage(), {names[3], names[0]}), *ExampleStore(), 1000);
  REQUIRE(prepared.status().message() == "");
  REQUIRE(prepared->segments.size() == 2);
  CHECK(prepared->segments[0]->name() == names[3]);
  CHECK(prepared->segments[1]->name() == names[0]);
  CHECK(prepared->statistics.segments_queried == 2);
  CHECK(prepared->statistics.documents_total == 2000);
  CHECK(prepared->statistics.list_encoding == "names");
  CHECK(prepared->accepted == wire::LeafAccepted{});
}

TEST_CASE("an empty list is a list, no list is refused") {
  auto request = LeafRequestOf(CountStage(), {});
  const auto prepared = PrepareStage(request, *ExampleStore(), 1000);
  REQUIRE(prepared.status().message() == "");
  CHECK(prepared->segments.empty());
  request.segments.reset();
  const auto refused = PrepareStage(request, *ExampleStore(), 1000);
  CHECK(refused.status().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(refused.status().message(), Catch::Contains("no segment list"));
}

TEST_CASE("a list keyed by another type or table than the stage's is refused") {
  for (const char* key : {"OFFLINE", "rides_OFFLINE"}) {
    CHECK(PrepareStage(LeafRequestOf(CountStage(), SegmentNames(), key), *ExampleStore(), 10).ok());
  }
  for (const char* key : {"REALTIME", "stations_OFFLINE", ""}) {
    INFO(key);
    const auto refused =
        PrepareStage(LeafRequestOf(CountStage(), SegmentNames(), key), *ExampleStore(), 10);
    CHECK(refused.status().code() == StatusCode::kInvalidArgument);
    CHECK_THAT(refused.status().message(), Catch::Contains("rides_OFFLINE"));
  }
}

TEST_CASE("segments of a table that is not there are all missing") {
  plan::LeafStage stage = CountStage();
  stage.table = "trains_OFFLINE";
  const auto prepared = PrepareStage(LeafRequestOf(stage, {"a", "b"}), *ExampleStore(), 1000);
  REQUIRE(prepared.status().message() == "");
  CHECK(prepared->accepted.missing == std::vector<std::string>{"a", "b"});
  CHECK(prepared->segments.empty());
}

TEST_CASE("missing and broken segments are told apart") {
  const auto prepared =
      PrepareStage(LeafRequestOf(CountStage(), {"gone", "torn"}), *StoreWithBrokenSegment(), 1000);
  REQUIRE(prepared.status().message() == "");
  CHECK(prepared->accepted.missing == std::vector<std::string>{"gone"});
  REQUIRE(prepared->accepted.broken.size() == 1);
  CHECK(prepared->accepted.broken[0] == wire::BrokenSegment{"torn", "cut short"});
}

TEST_CASE("a stage over a refused table answers why") {
  auto store = std::make_shared<StoreSnapshot>();
  auto table = std::make_shared<TableStore>();
  table->name = "rides_OFFLINE";
  table->refused = "upsert tables (upsertConfig) are not supported yet";
  table->schema = std::make_shared<const Schema>();
  store->tables.emplace(table->name, table);
  const auto refused = PrepareStage(LeafRequestOf(CountStage(), {}), *store, 1000);
  CHECK(refused.status().code() == StatusCode::kFailedPrecondition);
  CHECK(refused.status().pinot_code() == PinotCode::kQueryValidation);
  CHECK_THAT(refused.status().message(), Catch::Contains("upsertConfig"));
}

TEST_CASE("bytes that are no stage or no list, and functions that are not there, are refused") {
  auto request = LeafRequestOf(CountStage(), SegmentNames());
  const auto good = request;
  request.stage = wire::SharedBytes::Own("\xff\xff\xff not a stage");
  CHECK(PrepareStage(request, *ExampleStore(), 10).status().code() == StatusCode::kInvalidArgument);
  request = good;
  request.segments = wire::SharedBytes::Own("\xff\xff\xff not a list");
  CHECK(PrepareStage(request, *ExampleStore(), 10).status().code() == StatusCode::kInvalidArgument);
  plan::LeafStage stage = CountStage();
  stage.aggregates[0].function = "nosuchaggregate";
  CHECK_FALSE(PrepareStage(LeafRequestOf(stage, SegmentNames()), *ExampleStore(), 10).ok());
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
