#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::table_config {

enum class TableType { kOffline, kRealtime };
std::string_view TableTypeName(TableType type);  // "OFFLINE", "REALTIME"

// What Trellis reads of a `tableConfig.json` (pinot-wire.md section 5).
struct TableConfig {
  std::string table_name;  // without the type's suffix
  TableType type = TableType::kOffline;
  std::string time_column;                // segmentsConfig.timeColumnName; empty = none
  std::vector<std::string> sort_columns;  // tableIndexConfig.sortedColumn
  int replication = 1;
  bool null_handling_enabled = false;
  // Tables whose visible rows are not simply the rows of their segments.
  bool has_upsert = false;
  bool has_dedup = false;
};

// Parses a table config, bare or wrapped by its type (`{"OFFLINE": {...}}`); keys Trellis does not
// know are ignored. Errors: InvalidArgument (no JSON object, no tableName, an unknown type, both
// types at once).
Result<TableConfig> ParseTableConfig(std::string_view json_text);

}  // namespace trellis::table_config
