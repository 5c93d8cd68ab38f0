#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace trellis::table_config {

// Looks through a table config's `ingestionConfig` (null: there is none) for what a segment's rows
// would have to go through. Trellis applies none of it: what would change, add or drop rows or
// values is refused, what only guards or logs is warned of. Errors: Unimplemented naming the key's
// path; InvalidArgument for a value of the wrong kind.
Status CheckIngestionConfig(const nlohmann::json& ingestion, std::vector<std::string>* warnings);

}  // namespace trellis::table_config
