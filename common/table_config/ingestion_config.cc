#include "common/table_config/ingestion_config.h"

#include "common/table_config/config_reader.h"

namespace trellis::table_config {
namespace {

using Json = nlohmann::json;

// Each of these makes other rows of the input's. Their parts are never half understood: all that
// counts is whether they ask for something.
struct RowChange {
  const char* key;
  bool list;
};
constexpr RowChange kRowChanges[] = {{"transformConfigs", true},
                                     {"enrichmentConfigs", true},
                                     {"complexTypeConfig", false},
                                     {"schemaConformingTransformerConfig", false},
                                     {"schemaConformingTransformerV2Config", false}};

Status Refuse(const std::string& path) {
  return Status::Unimplemented(
      "table config: {}: is not applied by Trellis, and the segment would hold other rows than "
      "Pinot's",
      path);
}

}  // namespace

Status CheckIngestionConfig(const Json& ingestion, std::vector<std::string>* warnings) {
  if (ingestion.is_null()) return {};
  ConfigReader reader(ingestion, "ingestionConfig", warnings);
  TRELLIS_RETURN_IF_ERROR(reader.CheckObject());

  TRELLIS_ASSIGN_OR_RETURN(const Json* filter, reader.Object("filterConfig"));
  if (filter != nullptr) {
    ConfigReader inner(*filter, reader.PathOf("filterConfig"), warnings);
    TRELLIS_ASSIGN_OR_RETURN(const auto function, inner.Text("filterFunction"));
    if (function && !function->empty()) return Refuse(inner.PathOf("filterFunction"));
    inner.WarnOfUnknown({});
  }
  for (const RowChange& change : kRowChanges) {
    TRELLIS_ASSIGN_OR_RETURN(const Json* part,
                             change.list ? reader.List(change.key) : reader.Object(change.key));
    // A complexTypeConfig without a key still flattens: every row goes through it.
    if (part != nullptr && !(change.list && part->empty()))
      return Refuse(reader.PathOf(change.key));
  }
  for (const char* key : {"continueOnError", "rowTimeValueCheck", "segmentTimeValueCheck",
                          "retryOnSegmentBuildPrecheckFailure"}) {
    TRELLIS_RETURN_IF_ERROR(reader.Flag(key).status());
    reader.WarnIfAsked(key, "is not heeded by Trellis");
  }
  // Pinot's offline build has no such thing: rows are aggregated while they stream in.
  reader.WarnIfAsked("aggregationConfigs", "is not heeded by Trellis");
  const std::vector<std::string> silent = {"batchIngestionConfig", "streamIngestionConfig",
                                           "ingestionExceptionLogRateLimitPerMin",
                                           "maxConsecutiveRecordFetchFailuresAllowed"};
  reader.WarnOfUnknown(silent);
  return {};
}

}  // namespace trellis::table_config
