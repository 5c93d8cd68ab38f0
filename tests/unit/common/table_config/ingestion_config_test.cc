#include "common/table_config/ingestion_config.h"

#include <catch2/catch.hpp>

#include "common/table_config/indexing_config.h"

namespace trellis::table_config {
namespace {

Status Check(const char* text, std::vector<std::string>& warnings) {
  return CheckIngestionConfig(nlohmann::json::parse(text), &warnings);
}

TEST_CASE("an ingestion config that would change rows is refused with its path") {
  const struct {
    const char* json;
    const char* path;
  } cases[] = {
      {R"({"filterConfig": {"filterFunction": "a > 1"}})", "ingestionConfig.filterConfig"},
      {R"({"transformConfigs": [{"columnName": "b", "transformFunction": "upper c"}]})",
       "ingestionConfig.transformConfigs"},
      {R"({"enrichmentConfigs": [{"enricherType": "x"}]})", "ingestionConfig.enrichmentConfigs"},
      {R"({"complexTypeConfig": {}})", "ingestionConfig.complexTypeConfig"},
      {R"({"schemaConformingTransformerConfig": {}})",
       "ingestionConfig.schemaConformingTransformerConfig"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.json);
    std::vector<std::string> warnings;
    const Status status = Check(each.json, warnings);
    CHECK(status.code() == StatusCode::kUnimplemented);
    CHECK(status.message().find(each.path) != std::string::npos);
  }
}

TEST_CASE("an ingestion config that asks for nothing passes, guards are warned of") {
  std::vector<std::string> warnings;
  CHECK(Check("null", warnings).ok());
  CHECK(Check(R"({"filterConfig": null, "transformConfigs": [], "continueOnError": false,
                  "filterConfig": {"filterFunction": null}, "batchIngestionConfig": {"x": 1}})",
              warnings)
            .ok());
  CHECK(warnings.empty());
  CHECK(Check(R"({"continueOnError": true, "rowTimeValueCheck": "true", "transformConfig": []})",
              warnings)
            .ok());
  CHECK(warnings ==
        std::vector<std::string>{
            "ingestionConfig.continueOnError: is not heeded by Trellis",
            "ingestionConfig.rowTimeValueCheck: is not heeded by Trellis",
            "ingestionConfig.transformConfig: unknown key (did you mean 'transformConfigs'?)"});
}

TEST_CASE("an ingestion config of the wrong kind is an error") {
  for (const char* json : {"5", "[]", R"({"transformConfigs": {}})", R"({"filterConfig": "a > 1"})",
                           R"({"continueOnError": "maybe"})"}) {
    CAPTURE(json);
    std::vector<std::string> warnings;
    CHECK(Check(json, warnings).code() == StatusCode::kInvalidArgument);
  }
}

TEST_CASE("the ingestion config of a table config is looked at, as object and as text") {
  for (const char* json :
       {R"({"tableName": "t", "ingestionConfig": {"filterConfig": {"filterFunction": "x"}}})",
        R"({"tableName": "t", "ingestionConfig":
            "{\"filterConfig\": {\"filterFunction\": \"x\"}}"})"}) {
    CHECK(ParseIndexingConfig(json).status().code() == StatusCode::kUnimplemented);
  }
}

}  // namespace
}  // namespace trellis::table_config
