#include "server/operators/stage_check.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/operators/lane_runs.h"

namespace trellis::server {
namespace {

plan::LeafStage Counting() {
  plan::LeafStage stage;
  stage.table = "rides_OFFLINE";
  stage.shape = plan::QueryShape::kGroupBy;
  stage.keys = {Rides().Column("station")};
  stage.aggregates = {Call("count")};
  stage.filter = RatingAtLeast(3);
  return stage;
}

TEST_CASE("a stage whose columns and types are the schema's passes") {
  CHECK(CheckStage(Counting(), *Rides().schema).message() == "");
}

TEST_CASE("a column that the schema lacks is refused as unknown, by name") {
  plan::LeafStage stage = Counting();
  stage.keys = {plan::Expression::Column("altitude", {DataType::kInt, false})};
  const Status status = CheckStage(stage, *Rides().schema);
  CHECK(status.pinot_code() == PinotCode::kUnknownColumn);
  CHECK_THAT(status.message(), Catch::Contains("altitude"));
}

TEST_CASE("a column or a constant typed otherwise than the schema's column is refused") {
  plan::LeafStage stage = Counting();
  stage.keys = {plan::Expression::Column("station", {DataType::kLong, false})};
  CHECK_FALSE(CheckStage(stage, *Rides().schema).ok());
  stage = Counting();
  stage.filter.predicate.lower = Value::Boolean(true);
  CHECK_FALSE(CheckStage(stage, *Rides().schema).ok());
}

}  // namespace
}  // namespace trellis::server
