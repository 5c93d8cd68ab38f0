#include "server/operators/segment_source.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/example_rides.h"

namespace trellis::server {
namespace {

TEST_CASE("a column read in batches holds the rows of one whole read") {
  const segment::Segment& segment = *Rides().segments[2];
  for (const char* name : {"station", "day", "minutes", "comment", "tags", "stops", "weather"}) {
    INFO(name);
    const ScannedColumn whole = Scan(segment, *Rides().schema, Rides().Column(name));
    SegmentSource source(segment, *Rides().schema);
    const std::vector<uint32_t> docs = AllDocuments(segment);
    for (size_t from = 0; from < docs.size(); from += 37) {
      const auto batch = std::span(docs).subspan(from, std::min<size_t>(37, docs.size() - from));
      source.SetDocuments(batch);
      const auto vector = source.Column(name);
      REQUIRE(vector.status().message() == "");
      REQUIRE((*vector)->size() == batch.size());
      ColumnVector stored = **vector;
      stored.ClearNulls();
      for (size_t i = 0; i < batch.size(); ++i) {
        CHECK(stored.Get(i) == whole.values[from + i]);
        CHECK((*vector)->is_null(i) == whole.nulls[from + i]);
      }
    }
  }
}

TEST_CASE("a column asked for again is the same vector, filled anew by the next batch") {
  SegmentSource source(*Rides().segments[0], *Rides().schema);
  const std::vector<uint32_t> docs = {1, 5, 9};
  source.SetDocuments(docs);
  const ColumnVector* first = source.Column("trip_id").value();
  CHECK(source.Column("trip_id").value() == first);
  CHECK(first->values<int64_t>() ==
        std::vector<int64_t>{9'000'000'013, 9'000'000'065, 9'000'000'117});
  CHECK(source.batch_bytes() == 3 * sizeof(int64_t));
  const std::vector<uint32_t> next = {2};
  source.SetDocuments(next);
  CHECK(source.batch_bytes() == 0);
  CHECK(source.Column("trip_id").value()->values<int64_t>() == std::vector<int64_t>{9'000'000'026});
}

TEST_CASE("virtual columns give docIds and the segment's name") {
  const segment::Segment& segment = *Rides().segments[0];
  SegmentSource source(segment, *Rides().schema);
  const std::vector<uint32_t> docs = {2, 3, 999};
  source.SetDocuments(docs);
  const ColumnVector* ids = source.Column("$docId").value();
  CHECK(ids->values<int32_t>() == std::vector<int32_t>{2, 3, 999});
  const ColumnVector* names = source.Column("$segmentName").value();
  CHECK(names->size() == 3);
  CHECK(names->Get(2) == Value::String(segment.name()));
  CHECK(source.Column("$hostName").value()->Get(0).type() == DataType::kString);
}

TEST_CASE("a column that the schema has and the segment lacks reads as its default") {
  std::vector<FieldSpec> fields = Rides().schema->fields();
  FieldSpec single;
  single.name = "helmet";
  single.type = DataType::kInt;
  single.default_null = Value::Int(-5);
  fields.push_back(single);
  FieldSpec several = single;
  several.name = "repairs";
  several.multi_value = true;
  fields.push_back(several);
  const Schema schema("rides", fields);
  SegmentSource source(*Rides().segments[0], schema);
  const std::vector<uint32_t> docs = {0, 1, 2, 3};
  source.SetDocuments(docs);
  const ColumnVector* helmet = source.Column("helmet").value();
  CHECK(helmet->size() == 4);
  CHECK(helmet->Get(3) == Value::Int(-5));
  const ColumnVector* repairs = source.Column("repairs").value();
  CHECK(repairs->size() == 4);
  CHECK(repairs->Get(3) == Value::Array(DataType::kInt, {Value::Int(-5)}));
}

TEST_CASE("a column that neither segment nor schema has is refused by name") {
  SegmentSource source(*Rides().segments[0], *Rides().schema);
  source.SetDocuments({});
  const Status status = source.Column("altitude").status();
  CHECK(status.pinot_code() == PinotCode::kUnknownColumn);
  CHECK_THAT(status.message(), Catch::Contains("altitude"));
  CHECK_THAT(status.message(), Catch::Contains(Rides().segments[0]->name()));
}

TEST_CASE("a map key gives the key's value of each row, as the row's JSON text has it") {
  const segment::Segment& segment = *Rides().segments[0];
  SegmentSource source(segment, *Rides().schema);
  // The first rows of expected.jsonl.gz: sky clear, hail, clouds, hail; climb only in the third.
  const std::vector<uint32_t> docs = {0, 1, 2, 3};
  source.SetDocuments(docs);
  const ColumnVector* sky = source.MapKey("weather", "sky", DataType::kString).value();
  CHECK(sky->Get(0) == Value::String("clear"));
  CHECK(sky->Get(1) == Value::String("hail"));
  CHECK(sky->Get(2) == Value::String("clouds"));
  CHECK(sky->Get(3) == Value::String("hail"));
  const ColumnVector* climb = source.MapKey("meters", "climb", DataType::kInt).value();
  ColumnVector stored = *climb;
  stored.ClearNulls();
  CHECK(stored.Get(2) == Value::Int(72));
  CHECK(stored.Get(0) != Value::Int(72));
  const ColumnVector* length = source.MapKey("meters", "length", DataType::kInt).value();
  CHECK(length->Get(0) == Value::Int(12025));
  CHECK_FALSE(source.MapKey("minutes", "sky", DataType::kString).ok());
}

}  // namespace
}  // namespace trellis::server
