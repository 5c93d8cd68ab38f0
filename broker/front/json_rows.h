#pragma once

#include <string>

#include "broker/query/query_response.h"

namespace trellis::broker {

// Appends `{"dataSchema":{"columnNames":[..],"columnDataTypes":[..]},"rows":[[..],..]}` as Pinot
// writes it (pinot-sql.md section 9). With `null_handling` a null is `null`; without it a null of a
// known type is the value stored under it. MAP values arrive as JSON text and are written as they
// are. A payload that is not of its type's form is written as a string of its hex digits.
void AppendResultTableJson(const ResultTable& table, bool null_handling, std::string& out);

}  // namespace trellis::broker
