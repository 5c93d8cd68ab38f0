#pragma once

#include <vector>

#include "common/column/dictionary.h"
#include "common/predicate/value_matcher.h"

namespace trellis::server {

// Writes 1 for each dictId whose value matches, ignoring `negated`; returns how many do. Sets and
// ranges are searched by the dictionary's order; patterns look at every value once. Errors:
// Corrupt.
Result<size_t> MatchDictionary(const ValueMatcher& matcher, const column::Dictionary& dictionary,
                               std::vector<uint8_t>& matches);

}  // namespace trellis::server
