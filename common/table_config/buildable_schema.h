#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/table_config/schema_json.h"

namespace trellis::table_config {

// A schema that segments shall be built by.
struct BuildableSchema {
  SchemaFile file;
  std::set<std::string> not_null;     // columns with `notNull`
  std::vector<std::string> warnings;  // one line each with the key's path: keys nobody knows
};

// Parses what ParseSchemaFile parses and looks at every key: a server must go on with a schema that
// says more than it knows, a build must not leave out what would change the values. Errors:
// InvalidArgument for values of the wrong kind and for what Pinot 1.5.1 refuses (a metric that is
// no number, JSON or date-time columns of many values, a date-time column without format or
// granularity); Unimplemented for what Trellis does not do (transformFunction,
// virtualColumnProvider, default maps, time conversions of a timeFieldSpec).
Result<BuildableSchema> ParseBuildableSchema(std::string_view json_text);

}  // namespace trellis::table_config
