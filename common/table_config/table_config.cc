#include "common/table_config/table_config.h"

#include "common/base/nearest_name.h"
#include "common/table_config/json_parts.h"
#include "common/types/java_text.h"

namespace trellis::table_config {
namespace {

using Json = nlohmann::json;

std::string TextAt(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  if (found == object.end() || found->is_null() || found->is_structured()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// One text, or an array of them; whatever is not text is stepped over.
std::vector<std::string> TextsAt(const Json& object, const char* key) {
  std::vector<std::string> texts;
  if (!object.is_object() || !object.contains(key)) return texts;
  const Json& found = object[key];
  if (found.is_string()) texts.push_back(found.get<std::string>());
  if (!found.is_array()) return texts;
  for (const Json& text : found)
    if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

// A mode of NONE switches the feature off; any other config of it is on.
bool IsUpsert(const Json& config) {
  return config.is_object() && !EqualsIgnoreCase(TextAt(config, "mode"), "NONE");
}

bool IsDedup(const Json& config) {
  return config.is_object() && !EqualsIgnoreCase(TextAt(config, "dedupEnabled"), "false");
}

Result<TableType> ParseTableType(std::string_view text) {
  if (EqualsIgnoreCase(text, "OFFLINE")) return TableType::kOffline;
  if (EqualsIgnoreCase(text, "REALTIME")) return TableType::kRealtime;
  return Status::InvalidArgument("table config: tableType '{}', expected OFFLINE or REALTIME",
                                 text);
}

Result<TableConfig> ParseBare(const Json& root, std::string_view wrapped_type) {
  TableConfig config;
  config.table_name = TextAt(root, "tableName");
  if (config.table_name.empty()) config.table_name = TextAt(root, "id");
  if (config.table_name.empty()) return Status::InvalidArgument("table config: no tableName");
  std::string type = TextAt(root, "tableType");
  if (type.empty()) type = wrapped_type;
  for (const std::string_view known : {"OFFLINE", "REALTIME"}) {
    const std::string suffix = "_" + std::string(known);
    if (!config.table_name.ends_with(suffix)) continue;
    config.table_name.resize(config.table_name.size() - suffix.size());
    if (type.empty()) type = known;
    break;
  }
  TRELLIS_ASSIGN_OR_RETURN(config.type, ParseTableType(type.empty() ? "OFFLINE" : type));

  const Json segments = PartAt(root, "segmentsConfig");
  config.time_column = TextAt(segments, "timeColumnName");
  if (const std::string replication = TextAt(segments, "replication"); !replication.empty()) {
    const auto count = ParseJavaInt(replication);
    if (!count || *count < 0) {
      return Status::InvalidArgument("table config: replication '{}', expected a count",
                                     replication);
    }
    config.replication = *count;
  }
  const Json indexing = PartAt(root, "tableIndexConfig");
  config.sort_columns = TextsAt(indexing, "sortedColumn");
  config.null_handling_enabled = EqualsIgnoreCase(TextAt(indexing, "nullHandlingEnabled"), "true");
  config.has_upsert = IsUpsert(PartAt(root, "upsertConfig"));
  config.has_dedup = IsDedup(PartAt(root, "dedupConfig"));
  return config;
}

}  // namespace

std::string_view TableTypeName(TableType type) {
  return type == TableType::kOffline ? "OFFLINE" : "REALTIME";
}

Result<TableConfig> ParseTableConfig(std::string_view json_text) {
  TRELLIS_ASSIGN_OR_RETURN(const BareTableConfig bare, ParseTableConfigText(json_text));
  return ParseBare(bare.root, bare.wrapped_type);
}

}  // namespace trellis::table_config
