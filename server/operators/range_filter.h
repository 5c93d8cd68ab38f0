#pragma once

#include <optional>
#include <vector>

#include "common/predicate/value_matcher.h"
#include "common/segment/segment.h"
#include "server/operators/document_filter.h"

namespace trellis::server {

// What the range index of a column says of a predicate over its dictIds: those marked in `matches`,
// as MatchDictionary writes them. nullopt: there is no index, or none that answers this cheaply.
// Errors: Corrupt.
Result<std::optional<index::RangeAnswer>> AskRangeIndex(const segment::Column& column,
                                                        const std::vector<uint8_t>& matches,
                                                        plan::Predicate::Kind kind);

// The same for a column without dictIds in its forward index, whose values are compared as the
// machine compares them. Ignores `negated`, as the matcher does.
Result<std::optional<index::RangeAnswer>> AskRangeIndex(const segment::Column& column,
                                                        const ValueMatcher& matcher);

// The documents for which the predicate is TRUE: the certain ones, and those of the possible ones
// that `scan`, the same predicate over the forward index, selects; all others where it is negated.
Result<Roaring> TrueDocuments(const index::RangeAnswer& answer, bool negated,
                              uint32_t document_count, FilterNode& scan);

}  // namespace trellis::server
