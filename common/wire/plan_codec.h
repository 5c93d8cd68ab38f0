#pragma once

#include <string>

#include "common/base/bytes.h"
#include "common/plan/stage.h"

namespace trellis::wire {

// Serialises a stage as trellis.v1.LeafStage. The same stage gives the same bytes. Senders check
// the size against kMessageLimits.stage_bytes_max.
std::string EncodeLeafStage(const plan::LeafStage& stage);

// Reads untrusted bytes. What comes back is safe to run: enums are known, every value's payload has
// the physical form of its type, literals and constants have the physical form of the expression
// they belong to, predicates have the constants their kind needs and none of them is NULL, nesting
// and node count are within kMessageLimits. DecodeLeafStage(EncodeLeafStage(s)) == s. Errors:
// InvalidArgument saying what and where ("filter.children[2].subject: ...").
Result<plan::LeafStage> DecodeLeafStage(ByteView bytes);

}  // namespace trellis::wire
