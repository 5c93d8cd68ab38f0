#include "broker/catalog/segment_facts.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/broker/catalog/announced.h"

namespace trellis::broker {
namespace {

constexpr uint32_t kUnknown = wire::PartitionColumn::kUnknown;

wire::SegmentBatch Batch() {
  wire::SegmentBatch batch = BatchOf({{0, "a"}, {1, "b"}, {2, "c"}}, 9, 100);
  batch.time_ms = ZonesOf("", {{1, 2}, {3, 4}});  // none of c
  batch.zones = {ZonesOf("n", {{1, 2}, {9, 3}, {5, 5}})};
  batch.partitions = {{"k", "Modulo", 4, {0, 4, kUnknown}}};
  return batch;
}

}  // namespace

TEST_CASE("facts are kept by slot; what makes no sense is not known") {
  SegmentFacts facts;
  const wire::SegmentBatch batch = Batch();
  const auto bound = facts.Bind(batch);
  for (uint32_t row = 0; row < 3; ++row) facts.Set(10 + row, bound, row);
  CHECK(facts.crc(11) == 9);
  CHECK(facts.rows(12) == 100);
  CHECK(facts.times(11).start == 3);
  CHECK(facts.times(12).end == SegmentFacts::kNoTime);
  REQUIRE(facts.zones().size() == 1);
  CHECK(facts.zones()[0].bounds.Get(12).max == 5);
  CHECK_FALSE(facts.zones()[0].bounds.Get(11).known());  // min above max
  CHECK_FALSE(facts.zones()[0].bounds.Get(999).known());
  REQUIRE(facts.partitionings().size() == 1);
  CHECK(facts.partitionings()[0].partition.Get(10) == 0);
  CHECK(facts.partitionings()[0].partition.Get(11) == kUnknown);  // there is no partition 4 of 4
}

TEST_CASE("row counts that cannot be are cut to what can") {
  SegmentFacts facts;
  wire::SegmentBatch batch = BatchOf({{0, "a"}, {1, "b"}});
  batch.rows = {-5, std::numeric_limits<int64_t>::max()};
  const auto bound = facts.Bind(batch);
  facts.Set(0, bound, 0);
  facts.Set(1, bound, 1);
  CHECK(facts.rows(0) == 0);
  CHECK(facts.rows(1) == std::numeric_limits<int32_t>::max());
  CHECK(facts.Covers(0, bound, 0));
}

TEST_CASE("a copy keeps what it saw") {
  SegmentFacts facts;
  const wire::SegmentBatch batch = Batch();
  facts.Set(0, facts.Bind(batch), 0);
  const SegmentFacts copy = facts;
  wire::SegmentBatch more = BatchOf({{0, "d"}}, 1, 7);
  more.zones = {ZonesOf("other", {{1, 1}})};
  facts.Set(1, facts.Bind(more), 0);
  CHECK(facts.zones().size() == 2);
  CHECK(copy.zones().size() == 1);
  CHECK(copy.rows(0) == 100);
}

TEST_CASE("facts cover a row of the same data that says no more") {
  SegmentFacts facts;
  const wire::SegmentBatch batch = Batch();
  const auto bound = facts.Bind(batch);
  facts.Set(0, bound, 0);
  CHECK(facts.Covers(0, bound, 0));
  const auto covers = [&](auto change) {
    wire::SegmentBatch other = Batch();
    change(other);
    return facts.Covers(0, facts.Bind(other), 0);
  };
  CHECK(covers([](auto& b) { b.zones.clear(); }));
  CHECK(covers([](auto& b) { b.partitions.clear(); }));
  CHECK_FALSE(covers([](auto& b) { b.crcs[0] = 8; }));
  CHECK_FALSE(covers([](auto& b) { b.rows[0] = 8; }));
  CHECK_FALSE(covers([](auto& b) { b.zones.push_back(ZonesOf("m", {{1, 1}})); }));
  CHECK_FALSE(covers([](auto& b) { b.partitions.push_back({"l", "Modulo", 2, {1}}); }));
}

TEST_CASE("columns without end are not kept") {
  SegmentFacts facts;
  wire::SegmentBatch batch = BatchOf({{0, "a"}});
  for (int i = 0; i < 1'000; ++i) {
    batch.zones.push_back(ZonesOf("c" + std::to_string(i), {{1, 1}}));
    batch.partitions.push_back({"c" + std::to_string(i), "Modulo", 2, {1}});
  }
  batch.partitions.insert(batch.partitions.begin(), {"huge", "Modulo", 4'000'000'000, {1}});
  facts.Set(0, facts.Bind(batch), 0);
  CHECK(facts.zones().size() == SegmentFacts::kZoneColumnsMax);
  CHECK(facts.partitionings().size() == SegmentFacts::kPartitioningsMax);
  CHECK(facts.partitionings()[0].column == "c0");
}

TEST_CASE("facts are copied to another slot of another table's keeping") {
  SegmentFacts from;
  const wire::SegmentBatch batch = Batch();
  from.Set(700, from.Bind(batch), 0);
  SegmentFacts to;
  to.CopyFrom(from, 700, 3);
  CHECK(to.crc(3) == 9);
  CHECK(to.times(3).end == 2);
  CHECK(to.zones().at(0).bounds.Get(3).min == 1);
  CHECK(to.partitionings().at(0).partition.Get(3) == 0);
}

}  // namespace trellis::broker
