#pragma once

#include <string_view>

#include "common/base/status.h"
#include "common/types/value.h"

namespace trellis::table_config {

// Parses the text in which schemas and segment metadata hold one value of a column
// (`defaultNullValue`, `minValue`): BOOLEAN as 0/1 or true/false, TIMESTAMP as epoch milliseconds
// or as text, BYTES and UUID as hex, floating numbers and BIG_DECIMAL in Java's text, an empty MAP
// as `{}`. STRING and JSON are taken as they are. Errors: InvalidArgument naming text and type.
Result<Value> ParseStoredText(std::string_view text, DataType type);

}  // namespace trellis::table_config
