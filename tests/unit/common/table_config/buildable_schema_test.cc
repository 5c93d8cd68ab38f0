#include "common/table_config/buildable_schema.h"

#include <catch2/catch.hpp>

namespace trellis::table_config {
namespace {

Result<BuildableSchema> Parse(const std::string& list, const std::string& field) {
  return ParseBuildableSchema(R"({"schemaName": "t", ")" + list + R"(": [{"name": "a", )" + field +
                              "}]}");
}

TEST_CASE("what a build would leave out of a schema is refused with its path") {
  const struct {
    const char* list;
    const char* field;
    StatusCode code;
    const char* path;
  } cases[] = {
      {"dimensionFieldSpecs", R"("dataType": "INT", "transformFunction": "now")",
       StatusCode::kUnimplemented, "dimensionFieldSpecs[a].transformFunction"},
      {"dimensionFieldSpecs", R"("dataType": "INT", "virtualColumnProvider": "x.Y")",
       StatusCode::kUnimplemented, "virtualColumnProvider"},
      {"dimensionFieldSpecs", R"("dataType": "INT", "singleValueField": "no")",
       StatusCode::kInvalidArgument, "singleValueField"},
      {"dimensionFieldSpecs", R"("dataType": "INT", "notNull": 7)", StatusCode::kInvalidArgument,
       "notNull"},
      {"dimensionFieldSpecs", R"("dataType": "STRING", "defaultNullValue": "a\u0000b")",
       StatusCode::kInvalidArgument, "defaultNullValue"},
      {"dimensionFieldSpecs", R"("dataType": "JSON", "singleValueField": false)",
       StatusCode::kInvalidArgument, "singleValueField"},
      {"complexFieldSpecs", R"("dataType": "MAP", "defaultNullValue": {"k": 1})",
       StatusCode::kUnimplemented, "complexFieldSpecs[a].defaultNullValue"},
      {"metricFieldSpecs", R"("dataType": "BOOLEAN")", StatusCode::kInvalidArgument, "dataType"},
      {"metricFieldSpecs", R"("dataType": "TIMESTAMP")", StatusCode::kInvalidArgument, "dataType"},
      {"metricFieldSpecs", R"("dataType": "JSON")", StatusCode::kInvalidArgument, "dataType"},
      {"dateTimeFieldSpecs", R"("dataType": "LONG", "granularity": "1:DAYS")",
       StatusCode::kInvalidArgument, "format"},
      {"dateTimeFieldSpecs", R"("dataType": "LONG", "format": "EPOCH")",
       StatusCode::kInvalidArgument, "granularity"},
      {"dateTimeFieldSpecs",
       R"("dataType": "LONG", "format": "EPOCH", "granularity": "1:DAYS",
          "singleValueField": false)",
       StatusCode::kInvalidArgument, "singleValueField"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.list, each.field);
    const auto schema = Parse(each.list, each.field);
    CAPTURE(schema.status().message());
    CHECK(schema.status().code() == each.code);
    CHECK(schema.status().message().starts_with("schema: "));
    CHECK(schema.status().message().find(each.path) != std::string::npos);
  }
}

TEST_CASE("keys of a schema that nobody knows are warned of, a server goes on with them") {
  const auto schema = Parse("dimensionFieldSpecs", R"("dataType": "INT", "defaultNulValue": 5)");
  REQUIRE(schema.ok());
  CHECK(schema->warnings ==
        std::vector<std::string>{"dimensionFieldSpecs[a].defaultNulValue: unknown key (did you "
                                 "mean 'defaultNullValue'?)"});
  CHECK(ParseSchemaFile(R"({"dimensionFieldSpecs": [{"name": "a", "dataType": "INT",
                            "transformFunction": "now", "zz": 1}]})")
            .ok());
}

TEST_CASE("flags of a schema may be texts, as Jackson takes them") {
  const auto schema = Parse("dimensionFieldSpecs",
                            R"("dataType": "INT", "singleValueField": "false", "notNull": "true")");
  REQUIRE(schema.ok());
  CHECK(schema->warnings.empty());
  CHECK(schema->file.schema.fields().at(0).multi_value);
  CHECK(schema->not_null == std::set<std::string>{"a"});
}

TEST_CASE("a legacy time field whose two sides differ is refused, another is a TIME column") {
  const auto time = [](const std::string& in, const std::string& out) {
    return ParseBuildableSchema(R"({"timeFieldSpec": {"incomingGranularitySpec": {)" + in +
                                R"(}, "outgoingGranularitySpec": {)" + out + "}}}");
  };
  const std::string days = R"("name": "t", "dataType": "INT", "timeType": "DAYS")";
  const auto same = time(days, days + R"(, "timeUnitSize": 1, "timeFormat": "EPOCH")");
  REQUIRE(same.ok());
  CHECK(same->file.schema.fields().at(0).legacy_time);
  for (const char* other :
       {R"("name": "u", "dataType": "INT", "timeType": "DAYS")",
        R"("name": "t", "dataType": "LONG", "timeType": "DAYS")",
        R"("name": "t", "dataType": "INT", "timeType": "HOURS")",
        R"("name": "t", "dataType": "INT", "timeType": "DAYS", "timeUnitSize": 2)"}) {
    CAPTURE(other);
    CHECK(time(other, days).status().code() == StatusCode::kUnimplemented);
  }
}

}  // namespace
}  // namespace trellis::table_config
