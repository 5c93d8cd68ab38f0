#include "server/store/segment_facts.h"

#include <catch2/catch.hpp>

namespace trellis::server {
namespace {

FieldSpec FieldOf(const std::string& name, DataType type) {
  FieldSpec field;
  field.name = name;
  field.type = type;
  return field;
}

segment::ColumnMetadata ColumnOf(const std::string& name, DataType type,
                                 std::optional<Value> min = {}, std::optional<Value> max = {}) {
  segment::ColumnMetadata column;
  column.field = FieldOf(name, type);
  column.min_value = std::move(min);
  column.max_value = std::move(max);
  return column;
}

segment::SegmentMetadata MetadataOf(std::vector<segment::ColumnMetadata> columns) {
  segment::SegmentMetadata metadata;
  metadata.name = "s";
  metadata.document_count = 42;
  metadata.crc = 7;
  metadata.columns = std::move(columns);
  return metadata;
}

Schema SchemaOf(const segment::SegmentMetadata& metadata) {
  std::vector<FieldSpec> fields;
  for (const auto& column : metadata.columns) fields.push_back(column.field);
  return Schema("t", std::move(fields));
}

SegmentFacts Facts(const segment::SegmentMetadata& metadata, const ZoneColumns& columns = {}) {
  return FactsOf(metadata, columns, SchemaOf(metadata));
}

TEST_CASE("name, crc and rows are the segment's; times are milliseconds of its unit") {
  segment::SegmentMetadata metadata = MetadataOf({});
  SegmentFacts facts = Facts(metadata);
  CHECK(facts.name == "s");
  CHECK(facts.crc == 7);
  CHECK(facts.rows == 42);
  CHECK_FALSE(facts.start_time_ms.has_value());
  CHECK(facts.zones.empty());
  metadata.start_time = 20'000;
  metadata.end_time = 20'001;
  for (const auto& [unit, ms] : {std::pair("DAYS", int64_t{86'400'000}),
                                 {"HOURS", 3'600'000},
                                 {"MINUTES", 60'000},
                                 {"SECONDS", 1'000},
                                 {"MILLISECONDS", 1}}) {
    metadata.time_unit = unit;
    facts = Facts(metadata);
    CHECK(facts.start_time_ms == 20'000 * ms);
    CHECK(facts.end_time_ms == 20'001 * ms);
  }
  metadata.end_time = 19'999;
  CHECK_FALSE(Facts(metadata).start_time_ms.has_value());
  metadata.end_time = INT64_MAX;
  metadata.time_unit = "DAYS";
  CHECK_FALSE(Facts(metadata).end_time_ms.has_value());
  metadata.end_time = 20'001;
  metadata.time_unit = "FORTNIGHTS";
  CHECK_FALSE(Facts(metadata).start_time_ms.has_value());
}

TEST_CASE("the time column has a zone: the table's, else the segment's own") {
  segment::SegmentMetadata metadata =
      MetadataOf({ColumnOf("ours", DataType::kLong, Value::Long(-5), Value::Long(9)),
                  ColumnOf("theirs", DataType::kInt, Value::Int(1), Value::Int(2))});
  metadata.time_column = "ours";
  SegmentFacts facts = Facts(metadata);
  REQUIRE(facts.zones.size() == 1);
  CHECK(facts.zones[0].column == "ours");
  CHECK(facts.zones[0].min == -5);
  CHECK(facts.zones[0].max == 9);
  facts = Facts(metadata, {"theirs", {}});
  REQUIRE(facts.zones.size() == 1);
  CHECK(facts.zones[0].column == "theirs");
  CHECK(Facts(metadata, {"nobody's", {}}).zones.empty());
}

TEST_CASE("a time column without values takes the segment's times where the unit is its own") {
  segment::SegmentMetadata metadata = MetadataOf({ColumnOf("ts", DataType::kLong)});
  metadata.time_column = "ts";
  metadata.time_unit = "SECONDS";
  metadata.start_time = 100;
  metadata.end_time = 200;
  FieldSpec& field = metadata.columns[0].field;
  for (const char* format : {"1:SECONDS:EPOCH", "EPOCH|SECONDS", "EPOCH|SECONDS|1"}) {
    field.datetime_format = format;
    const SegmentFacts facts = Facts(metadata);
    REQUIRE(facts.zones.size() == 1);
    CHECK(facts.zones[0].min == 100);
    CHECK(facts.zones[0].max == 200);
  }
  // A number written as a date is not the number of seconds.
  for (const char* format : {"", "1:DAYS:EPOCH", "5:SECONDS:EPOCH", "EPOCH|SECONDS|5",
                             "1:SECONDS:SIMPLE_DATE_FORMAT:yyyyMMdd"}) {
    field.datetime_format = format;
    CHECK(Facts(metadata).zones.empty());
  }
  field.datetime_format = "1:SECONDS:EPOCH";
  metadata.time_column = "other";
  CHECK(Facts(metadata, {"ts", {}}).zones.empty());
  metadata.time_column = "ts";
  field.type = DataType::kTimestamp;
  CHECK(Facts(metadata).zones.empty());
  metadata.time_unit = "MILLISECONDS";
  CHECK(Facts(metadata).zones.size() == 1);
}

TEST_CASE("sort columns have zones: the table's, else those a segment is sorted by, some at most") {
  segment::SegmentMetadata metadata = MetadataOf({});
  for (char name = 'a'; name <= 'z'; ++name) {
    metadata.columns.push_back(
        ColumnOf(std::string(1, name), DataType::kString, Value::String("a"), Value::String("b")));
    metadata.columns.back().sorted = name != 'a';
  }
  SegmentFacts facts = Facts(metadata);
  REQUIRE(facts.zones.size() == 8);
  CHECK(facts.zones[0].column == "b");
  CHECK(facts.zones[0].min < facts.zones[0].max);
  facts = Facts(metadata, {"", {"a", "z", "not there"}});
  REQUIRE(facts.zones.size() == 2);
  CHECK(facts.zones[0].column == "a");
  facts = Facts(metadata, {"a", {"a"}});
  CHECK(facts.zones.size() == 1);
}

TEST_CASE("a zone needs both ends in order, and keys of its type") {
  const auto zones = [](segment::ColumnMetadata column) {
    return Facts(MetadataOf({std::move(column)}), {"", {"c"}}).zones.size();
  };
  const Value one = Value::Int(1);
  const Value two = Value::Int(2);
  CHECK(zones(ColumnOf("c", DataType::kInt, one, two)) == 1);
  CHECK(zones(ColumnOf("c", DataType::kInt, one, one)) == 1);
  CHECK(zones(ColumnOf("c", DataType::kInt, two, one)) == 0);
  CHECK(zones(ColumnOf("c", DataType::kInt, one, {})) == 0);
  CHECK(zones(ColumnOf("c", DataType::kInt, {}, two)) == 0);
  for (bool segment::ColumnMetadata::*certain :
       {&segment::ColumnMetadata::min_certain, &segment::ColumnMetadata::max_certain}) {
    auto column = ColumnOf("c", DataType::kString, Value::String("a"), Value::String("b"));
    CHECK(zones(column) == 1);
    column.*certain = false;
    CHECK(zones(column) == 0);
  }
  CHECK(zones(ColumnOf("c", DataType::kBytes, Value::Bytes(DataType::kBytes, "a"),
                       Value::Bytes(DataType::kBytes, "b"))) == 0);
  CHECK(zones(ColumnOf("c", DataType::kDouble, Value::Double(1),
                       Value::Double(std::numeric_limits<double>::quiet_NaN()))) == 0);
}

TEST_CASE("only a column of the table's own type has a zone or a partition") {
  const std::vector<std::pair<Value, Value>> ends{
      {Value::Int(1), Value::Int(2)},           {Value::Long(1), Value::Long(2)},
      {Value::Float(0.1F), Value::Float(0.2F)}, {Value::Double(0.1), Value::Double(0.2)},
      {Value::String("a"), Value::String("b")},
  };
  const DataType types[] = {DataType::kInt, DataType::kLong, DataType::kFloat, DataType::kDouble,
                            DataType::kString};
  for (size_t i = 0; i < ends.size(); ++i) {
    segment::ColumnMetadata column = ColumnOf("c", types[i], ends[i].first, ends[i].second);
    column.partition_function = "Murmur";
    column.partition_count = 8;
    column.partitions = {5};
    for (const DataType table : types) {
      INFO(i << " of a table's " << static_cast<int>(table));
      const SegmentFacts facts =
          FactsOf(MetadataOf({column}), {"", {"c"}}, Schema("t", {FieldOf("c", table)}));
      const size_t expected = table == types[i] ? 1 : 0;
      CHECK(facts.zones.size() == expected);
      CHECK(facts.partitions.size() == expected);
    }
    FieldSpec list = FieldOf("c", types[i]);
    list.multi_value = true;
    for (const Schema& schema : {Schema("t", {list}), Schema("t", {})}) {
      const SegmentFacts facts = FactsOf(MetadataOf({column}), {"", {"c"}}, schema);
      CHECK(facts.zones.empty());
      CHECK(facts.partitions.empty());
    }
  }
}

TEST_CASE("a column in one partition says which; others say nothing") {
  segment::ColumnMetadata one = ColumnOf("one", DataType::kString);
  one.partition_function = "Murmur";
  one.partition_count = 8;
  one.partitions = {5};
  segment::ColumnMetadata two = one;
  two.field.name = "two";
  two.partitions = {5, 6};
  segment::ColumnMetadata beyond = one;
  beyond.field.name = "beyond";
  beyond.partitions = {8};
  segment::ColumnMetadata negative = one;
  negative.field.name = "negative";
  negative.partitions = {-1};
  // What a function is given besides its name does not travel: a broker would compute others.
  segment::ColumnMetadata seeded = one;
  seeded.field.name = "seeded";
  seeded.partition_function_configured = true;
  const SegmentFacts facts =
      Facts(MetadataOf({one, two, beyond, negative, seeded, ColumnOf("none", DataType::kString)}));
  REQUIRE(facts.partitions.size() == 1);
  CHECK(facts.partitions[0].column == "one");
  CHECK(facts.partitions[0].function == "Murmur");
  CHECK(facts.partitions[0].count == 8);
  CHECK(facts.partitions[0].partition == 5);
}

TEST_CASE("schemas with the same columns and types make the same facts") {
  const Schema a("t", {FieldOf("a", DataType::kInt), FieldOf("b", DataType::kLong)});
  CHECK(SameColumnTypes(
      a, Schema("u", {FieldOf("b", DataType::kLong), FieldOf("a", DataType::kInt)})));
  CHECK_FALSE(SameColumnTypes(a, Schema("t", {FieldOf("a", DataType::kInt)})));
  CHECK_FALSE(SameColumnTypes(
      a, Schema("t", {FieldOf("a", DataType::kInt), FieldOf("b", DataType::kInt)})));
}

}  // namespace
}  // namespace trellis::server
