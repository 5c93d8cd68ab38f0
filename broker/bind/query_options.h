#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace trellis::broker {

// The options of one query, from SET, OPTION(...) and the request, in that order of precedence.
struct QueryOptions {
  std::optional<int64_t> timeout_ms;
  bool null_handling = false;
  int64_t groups_max = 0;  // numGroupsLimit; 0 = the servers' own
  bool explain_verbose = false;
  // "known", "packed", "names", "legacy_json": forces one
  std::optional<std::string> segment_list_encoding;
  std::optional<bool> hedge;   // ask another replica when a server is slow
  bool retry = true;           // ask another replica when a server fails
  bool broker_pruning = true;  // useBrokerPruning
};

using OptionList = std::vector<std::pair<std::string, std::string>>;

// Reads options whose first mention wins; keys are matched without case.
// Errors: Query(150) for an unknown key, with the nearest known one; Query(700) for options that
// would change answers and are not built (useMultistageEngine=true, ...) and for values that do not
// parse.
Result<QueryOptions> ReadOptions(const OptionList& options);

// Splits the request's `k=v;k=v` text. Errors: Query(150).
Result<OptionList> SplitOptions(std::string_view text);

}  // namespace trellis::broker
