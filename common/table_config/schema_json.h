#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/types/schema.h"

namespace trellis::table_config {

// A `schema.json` (pinot-wire.md section 5): the columns, and what it says beside them.
struct SchemaFile {
  Schema schema;
  bool column_based_null_handling = false;  // enableColumnBasedNullHandling
  std::vector<std::string> primary_key_columns;
};

// Parses Pinot's schema JSON; keys Trellis does not know are ignored. A legacy `timeFieldSpec`
// becomes a date-time column of its outgoing granularity. Errors: InvalidArgument naming the column
// and key (no JSON, no name, an unknown type, a column listed twice, a default that is no value of
// its type).
Result<SchemaFile> ParseSchemaFile(std::string_view json_text);
// The columns alone.
Result<Schema> ParseSchema(std::string_view json_text);

// Writes `schema` as Pinot's REST API shows it: field specs by role, optional keys only where they
// differ from Pinot's default. Indented by two blanks; ParseSchema gives the same schema back.
std::string SchemaToJson(const Schema& schema);

// "DIMENSION", "METRIC", "DATE_TIME" or "COMPLEX", as schemas and segment metadata name it.
std::string_view FieldRoleName(FieldRole role);
// "ERROR", "TRIM_LENGTH", "SUBSTITUTE_DEFAULT_VALUE", "NO_ACTION"; "" where nothing is said.
std::string_view LengthExceedName(LengthExceed exceed);

}  // namespace trellis::table_config
