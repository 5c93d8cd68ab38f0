#pragma once

#include <string>

#include "broker/query/query_response.h"

namespace trellis::broker {

// The broker's answer to a query over HTTP: Pinot's fields in Pinot's order (pinot-sql.md
// section 6.5), then `dispatchStats` and `stationTimesUs`, which are ours. `resultTable` is left
// out when there is none.
std::string QueryResponseJson(const QueryResponse& response);

}  // namespace trellis::broker
