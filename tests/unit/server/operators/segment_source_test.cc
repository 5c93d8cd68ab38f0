#include "server/operators/segment_source.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/server/example_rides.h"
#include "tests/unit/server/operators/map_segment.h"

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

TEST_CASE("a new batch lets go of what the texts of the one before lay in") {
  SegmentSource source(*Rides().segments[0], *Rides().schema);
  const std::vector<uint32_t> docs = {0, 1};
  source.SetDocuments(docs);
  const ColumnVector* column = source.Column("station").value();
  const ColumnVector* key = source.MapKey("weather", "sky", DataType::kString).value();
  REQUIRE((column->size() == 2 && key->size() == 2));
  source.SetDocuments(docs);
  CHECK((column->size() == 0 && key->size() == 0));
  CHECK(source.MapKey("weather", "sky", DataType::kString).value()->Get(0) ==
        Value::String("clear"));
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

// 1, 16 or 81 keys of `meters`, all but three of which no row has.
std::vector<std::string> MeterKeys(size_t count) {
  std::vector<std::string> keys = {"length", "climb", ""};
  while (keys.size() < count) keys.push_back(fmt::format("climb{}", keys.size()));
  keys.resize(count);
  return keys;
}

TEST_CASE("one key, 16, 81, and 81 with the whole map look at each frame equally often") {
  const segment::Segment& segment = *Rides().segments[0];
  const std::vector<uint32_t> docs = AllDocuments(segment);
  for (const size_t count : {size_t{1}, size_t{16}, size_t{81}}) {
    for (const bool whole_map : {false, true}) {
      INFO(count << " keys, whole map " << whole_map);
      MapKeySet keys;
      for (const std::string& key : MeterKeys(count)) keys.Add("meters", key, DataType::kInt);
      SegmentSource source(segment, *Rides().schema);
      source.ReadTogether(&keys);
      for (size_t from = 0; from < docs.size(); from += 300) {
        source.SetDocuments(
            std::span(docs).subspan(from, std::min<size_t>(300, docs.size() - from)));
        for (const std::string& key : MeterKeys(count)) {
          const auto vector = source.MapKey("meters", key, DataType::kInt);
          REQUIRE(vector.status().message() == "");
          SegmentSource alone(segment, *Rides().schema);
          alone.SetDocuments(source.documents());
          const ColumnVector* expected = alone.MapKey("meters", key, DataType::kInt).value();
          REQUIRE((*vector)->values<int32_t>() == expected->values<int32_t>());
          REQUIRE((*vector)->nulls() == expected->nulls());
        }
        if (whole_map) REQUIRE(source.Column("meters").ok());
      }
      CHECK(source.map_reads().frames_read == docs.size());
      CHECK(source.map_reads().frames_walked == docs.size());
    }
  }
}

TEST_CASE("keys that are not read together are walked for one by one") {
  const std::vector<uint32_t> docs = {0, 1, 2, 3};
  SegmentSource source(*Rides().segments[0], *Rides().schema);
  source.SetDocuments(docs);
  for (const std::string& key : MeterKeys(16))
    REQUIRE(source.MapKey("meters", key, DataType::kInt).ok());
  CHECK(source.map_reads().frames_read == 4);
  CHECK(source.map_reads().frames_walked == 64);
}

TEST_CASE("a key is read as each type that it is asked for as") {
  const MapSegment made(
      {MapFrame({{"n", "12"}}), MapFrame({{"m", "12"}}), MapFrame({{"n", "\"7\""}})}, "INT");
  MapKeySet keys;
  for (const DataType type : {DataType::kInt, DataType::kString, DataType::kDouble})
    keys.Add("m", "n", type);
  SegmentSource source(*made.segment, made.schema);
  const std::vector<uint32_t> docs = {0, 1, 2};
  source.ReadTogether(&keys);
  source.SetDocuments(docs);
  const ColumnVector* number = source.MapKey("m", "n", DataType::kInt).value();
  const ColumnVector* text = source.MapKey("m", "n", DataType::kString).value();
  const ColumnVector* fraction = source.MapKey("m", "n", DataType::kDouble).value();
  CHECK(number->values<int32_t>() == std::vector<int32_t>{12, INT32_MIN, 7});
  CHECK(text->values<std::string_view>() == std::vector<std::string_view>{"12", "null", "7"});
  CHECK(fraction->Get(2) == Value::Double(7));
  CHECK(source.map_reads().frames_walked == 3);
}

TEST_CASE("a key that no row has is its declared type's default, and no more than that") {
  const std::vector<std::string> frames = {MapFrame({{"a", "1"}}), MapFrame({}), MapFrame({})};
  const std::vector<uint32_t> docs = {0, 1, 2};
  for (const auto& [type, expected] : std::vector<std::pair<DataType, Value>>{
           {DataType::kInt, Value::Int(INT32_MIN)},
           {DataType::kLong, Value::Long(INT64_MIN)},
           {DataType::kDouble, Value::Double(-std::numeric_limits<double>::infinity())},
           {DataType::kString, Value::String("null")},
           {DataType::kBoolean, DefaultNullValue(DataType::kBoolean, false)},
           {DataType::kTimestamp, DefaultNullValue(DataType::kTimestamp, false)}}) {
    const MapSegment made(frames, std::string(DataTypeName(type)).c_str(), {2});
    const plan::Expression key = made.Key("never");
    CHECK(key.type == ValueType{type, false});
    SegmentSource source(*made.segment, made.schema);
    source.SetDocuments(docs);
    ColumnVector values = *source.MapKey("m", "never", key.type.type).value();
    CHECK(values.type() == type);
    CHECK(values.Get(0) == expected);
    CHECK(values.Get(1) == expected);
    CHECK(values.is_null(2));
    values.ClearNulls();
    CHECK(values.Get(2) == expected);
  }
}

TEST_CASE("a MAP of BIG_DECIMAL gives its numbers by key") {
  const MapSegment made(
      {MapFrame({{"d", "12.50"}}), MapFrame({{"d", "\"-3\""}}), MapFrame({{"e", "1"}})},
      "BIG_DECIMAL");
  SegmentSource source(*made.segment, made.schema);
  const std::vector<uint32_t> docs = {0, 1, 2};
  source.SetDocuments(docs);
  const ColumnVector* values = source.MapKey("m", "d", DataType::kBigDecimal).value();
  CHECK(ValueToText(values->Get(0)) == "12.50");
  CHECK(ValueToText(values->Get(1)) == "-3");
  CHECK(ValueToText(values->Get(2)) == "0");
}

TEST_CASE("what is wrong with one key is no error of the keys read together with it") {
  const MapSegment made(
      {MapFrame({{"a", "1"}, {"b", "2.5"}}), MapFrame({{"a", "3"}}), MapFrame({})}, "INT");
  MapKeySet keys;
  for (const char* key : {"a", "b"}) keys.Add("m", key, DataType::kInt);
  SegmentSource source(*made.segment, made.schema);
  const std::vector<uint32_t> docs = {0, 1, 2};
  source.ReadTogether(&keys);
  source.SetDocuments(docs);
  const auto a = source.MapKey("m", "a", DataType::kInt);
  REQUIRE(a.status().message() == "");
  CHECK((*a)->values<int32_t>() == std::vector<int32_t>{1, 3, INT32_MIN});
  const Status b = source.MapKey("m", "b", DataType::kInt).status();
  CHECK(b.pinot_code() == PinotCode::kQueryExecution);
  for (const char* word : {"segment tiny", "column 'm'", "key 'b'", "docId 0", "2.5"})
    CHECK_THAT(b.message(), Catch::Contains(word));
}

TEST_CASE("a damaged frame is an error with its segment, column, key and document") {
  const std::string whole = MapFrame({{"a", "1"}, {"b", "2"}});
  std::string cut = whole;
  cut[3] = '\x7f';  // says that it has 127 entries
  const MapSegment made({whole, whole, cut}, "INT");
  SegmentSource source(*made.segment, made.schema);
  const std::vector<uint32_t> docs = {1, 2};
  source.SetDocuments(docs);
  CHECK(source.MapKey("m", "b", DataType::kInt).ok());  // found ahead of the damage
  const Status status = source.MapKey("m", "c", DataType::kInt).status();
  CHECK(status.IsCorrupt());
  for (const char* word : {"segment tiny", "column 'm'", "key 'c'", "docId 2"})
    CHECK_THAT(status.message(), Catch::Contains(word));
}

}  // namespace
}  // namespace trellis::server
