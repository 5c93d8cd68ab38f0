#include "common/table_config/table_config.h"

#include <catch2/catch.hpp>

#include "common/table_config/schema_json.h"

namespace trellis::table_config {
namespace {

constexpr const char* kSchema = R"({
  "schemaName": "t", "enableColumnBasedNullHandling": true, "primaryKeyColumns": ["i"],
  "dimensionFieldSpecs": [
    {"name": "i", "dataType": "INT"},
    {"name": "ms", "dataType": "STRING", "singleValueField": false, "defaultNullValue": "none"},
    {"name": "flag", "dataType": "BOOLEAN", "defaultNullValue": true}],
  "metricFieldSpecs": [{"name": "m", "dataType": "DOUBLE"},
    {"name": "n", "dataType": "LONG", "defaultNullValue": 9007199254740993}],
  "dateTimeFieldSpecs": [{"name": "ts", "dataType": "TIMESTAMP",
    "format": "TIMESTAMP", "granularity": "1:MILLISECONDS"}],
  "complexFieldSpecs": [{"name": "tags", "dataType": "MAP",
    "childFieldSpecs": {"key": {"name": "key", "dataType": "STRING"},
      "value": {"name": "value", "dataType": "LONG"}}}]
})";

TEST_CASE("a schema file gives the columns with types, roles and defaults") {
  const auto file = ParseSchemaFile(kSchema);
  CAPTURE(file.status().message());
  REQUIRE(file.ok());
  const Schema& schema = file->schema;
  CHECK(schema.name() == "t");
  CHECK(schema.fields().size() == 7);
  CHECK(schema.Find("i")->default_null == Value::Int(-2147483648));
  CHECK(schema.Find("ms")->multi_value);
  CHECK(schema.Find("ms")->default_null == Value::String("none"));
  CHECK(schema.Find("flag")->default_null == Value::Boolean(true));
  CHECK(schema.Find("m")->default_null == Value::Double(0));
  CHECK(schema.Find("n")->default_null == Value::Long(9007199254740993));
  CHECK(schema.Find("ts")->role == FieldRole::kDateTime);
  CHECK(schema.Find("ts")->datetime_granularity == "1:MILLISECONDS");
  CHECK(schema.Find("tags")->map_value_type == DataType::kLong);
  CHECK(file->column_based_null_handling);
  CHECK(file->primary_key_columns == std::vector<std::string>{"i"});
}

TEST_CASE("a schema written as JSON reads back the same") {
  const auto schema = ParseSchema(kSchema);
  REQUIRE(schema.ok());
  const auto again = ParseSchema(SchemaToJson(*schema));
  CAPTURE(again.status().message());
  REQUIRE(again.ok());
  REQUIRE(again->names() == schema->names());
  for (const FieldSpec& field : schema->fields()) {
    CAPTURE(field.name);
    const FieldSpec* other = again->Find(field.name);
    CHECK(other->value_type() == field.value_type());
    CHECK(other->role == field.role);
    CHECK(other->default_null == field.default_null);
    CHECK(other->datetime_format == field.datetime_format);
    CHECK(other->map_value_type == field.map_value_type);
  }
}

TEST_CASE("the keys that an OPEN_STRUCT declares travel with its schema") {
  const auto schema = ParseSchema(R"({"schemaName": "t", "complexFieldSpecs": [
    {"name": "o", "dataType": "OPEN_STRUCT", "childFieldSpecs": {
      "cpu": {"name": "cpu", "dataType": "DOUBLE"}, "at": {"name": "at", "dataType": "TIMESTAMP"}}},
    {"name": "p", "dataType": "OPEN_STRUCT"}]})");
  REQUIRE(schema.status().message() == "");
  const auto again = ParseSchema(SchemaToJson(*schema));
  REQUIRE(again.status().message() == "");
  for (const Schema* one : {&*schema, &*again}) {
    CHECK(one->Find("o")->KeyType("cpu") == DataType::kDouble);
    CHECK(one->Find("o")->KeyType("at") == DataType::kTimestamp);
    CHECK(one->Find("o")->KeyType("CPU") == DataType::kString);
    CHECK(one->Find("p")->KeyType("cpu") == DataType::kString);
  }
  CHECK_FALSE(ParseSchema(R"({"schemaName": "t", "complexFieldSpecs": [{"name": "o",
    "dataType": "OPEN_STRUCT", "childFieldSpecs": {"k": {"dataType": "NONE"}}}]})")
                  .ok());
}

TEST_CASE("a column says how long its texts may be and what becomes of longer ones") {
  const auto schema = ParseSchema(R"({"schemaName": "t", "dimensionFieldSpecs": [
      {"name": "plain", "dataType": "STRING"},
      {"name": "said", "dataType": "STRING", "maxLength": 7,
       "maxLengthExceedStrategy": "TRIM_LENGTH"}]})");
  REQUIRE(schema.ok());
  CHECK(schema->Find("plain")->max_length == 0);
  CHECK(schema->Find("plain")->length_exceed == LengthExceed::kUnsaid);
  const auto again = ParseSchema(SchemaToJson(*schema));
  REQUIRE(again.ok());
  CHECK(again->Find("said")->max_length == 7);
  CHECK(again->Find("said")->length_exceed == LengthExceed::kTrimLength);
  for (const char* bad : {R"("maxLength": 0)", R"("maxLength": "7")", R"("maxLength": 4294967296)",
                          R"("maxLengthExceedStrategy": "CUT")"}) {
    CHECK_FALSE(ParseSchema(std::string(R"({"schemaName": "t", "dimensionFieldSpecs": [
        {"name": "c", "dataType": "STRING", )") +
                            bad + "}]}")
                    .ok());
  }
}

TEST_CASE("a legacy time field becomes a date-time column of its outgoing granularity") {
  const auto schema = ParseSchema(R"({"schemaName": "t", "timeFieldSpec": {
    "incomingGranularitySpec": {"name": "in", "dataType": "LONG", "timeType": "MILLISECONDS"},
    "outgoingGranularitySpec": {"name": "days", "dataType": "INT", "timeType": "DAYS"}}})");
  REQUIRE(schema.ok());
  REQUIRE(schema->Find("days") != nullptr);
  CHECK(schema->Find("days")->datetime_format == "1:DAYS:EPOCH");
  CHECK(schema->Find("in") == nullptr);
}

TEST_CASE("a schema that cannot be meant is refused") {
  const char* const cases[] = {
      "",
      "[]",
      "{",
      R"({"dimensionFieldSpecs": {}})",
      R"({"dimensionFieldSpecs": [{"dataType": "INT"}]})",
      R"({"dimensionFieldSpecs": [{"name": "a"}]})",
      R"({"dimensionFieldSpecs": [{"name": "a", "dataType": "WORD"}]})",
      R"({"dimensionFieldSpecs": [{"name": "a", "dataType": "INT"}],
        "metricFieldSpecs": [{"name": "a", "dataType": "INT"}]})",
      R"({"dimensionFieldSpecs": [{"name": "a", "dataType": "INT", "defaultNullValue": "x"}]})",
      R"({"timeFieldSpec": {}})",
      R"({"dimensionFieldSpecs": [3]})"};
  for (const char* text : cases) {
    CAPTURE(text);
    CHECK(ParseSchema(text).status().code() == StatusCode::kInvalidArgument);
  }
}

TEST_CASE("a table config is read bare and wrapped by its type") {
  const std::string bare = R"({"tableName": "t_REALTIME", "tableType": "REALTIME",
    "segmentsConfig": {"timeColumnName": "ts", "replication": "3"},
    "tableIndexConfig": {"nullHandlingEnabled": true}})";
  for (const std::string& text : {bare, R"({"REALTIME": )" + bare + "}"}) {
    const auto config = ParseTableConfig(text);
    CAPTURE(text, config.status().message());
    REQUIRE(config.ok());
    CHECK(config->table_name == "t");
    CHECK(config->type == TableType::kRealtime);
    CHECK(config->time_column == "ts");
    CHECK(config->replication == 3);
    CHECK(config->null_handling_enabled);
    CHECK_FALSE(config->has_upsert);
    CHECK_FALSE(config->has_dedup);
  }
}

TEST_CASE("sort columns are read as a list or as one text") {
  const auto columns = [](const std::string& indexing) {
    return ParseTableConfig(R"({"tableName": "t", "tableIndexConfig": )" + indexing + "}")
        ->sort_columns;
  };
  using Columns = std::vector<std::string>;
  CHECK(columns(R"({"sortedColumn": ["a", "b"]})") == Columns{"a", "b"});
  CHECK(columns(R"({"sortedColumn": "a"})") == Columns{"a"});
  CHECK(columns(R"({"sortedColumn": ["a", 7, null]})") == Columns{"a"});
  CHECK(columns(R"({"sortedColumn": null})").empty());
  CHECK(columns("{}").empty());
  CHECK(columns("[]").empty());
}

TEST_CASE("upsert and dedup are seen unless they are switched off") {
  const auto config = [](const std::string& more) {
    return *ParseTableConfig(R"({"tableName": "t", )" + more + "}");
  };
  CHECK(config(R"("upsertConfig": {"mode": "FULL"})").has_upsert);
  CHECK_FALSE(config(R"("upsertConfig": {"mode": "NONE"})").has_upsert);
  CHECK_FALSE(config(R"("upsertConfig": null)").has_upsert);
  CHECK(config(R"("dedupConfig": {"dedupEnabled": true})").has_dedup);
  CHECK_FALSE(config(R"("dedupConfig": {"dedupEnabled": false})").has_dedup);
}

TEST_CASE("a table config that names no table or two types is refused") {
  for (const char* text :
       {"", "3", "{}", R"({"OFFLINE": {"tableName": "t"}, "REALTIME": {"tableName": "t"}})",
        R"({"tableName": "t", "tableType": "SIDEWAYS"})",
        R"({"tableName": "t", "segmentsConfig": {"replication": "many"}})"}) {
    CAPTURE(text);
    CHECK(ParseTableConfig(text).status().code() == StatusCode::kInvalidArgument);
  }
}

TEST_CASE("roles and strategies have the names of Pinot's schemas") {
  CHECK(FieldRoleName(FieldRole::kDimension) == "DIMENSION");
  CHECK(FieldRoleName(FieldRole::kMetric) == "METRIC");
  CHECK(FieldRoleName(FieldRole::kDateTime) == "DATE_TIME");
  CHECK(FieldRoleName(FieldRole::kComplex) == "COMPLEX");
  CHECK(LengthExceedName(LengthExceed::kError) == "ERROR");
  CHECK(LengthExceedName(LengthExceed::kTrimLength) == "TRIM_LENGTH");
  CHECK(LengthExceedName(LengthExceed::kSubstituteDefaultValue) == "SUBSTITUTE_DEFAULT_VALUE");
  CHECK(LengthExceedName(LengthExceed::kNoAction) == "NO_ACTION");
  CHECK(LengthExceedName(LengthExceed::kUnsaid).empty());
}

}  // namespace
}  // namespace trellis::table_config
