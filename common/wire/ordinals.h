#pragma once

#include <roaring/roaring.hh>
#include <string>

#include "common/base/bytes.h"

namespace trellis::wire {

// A set of ordinals as a field of bytes: portable Roaring, with runs where they are smaller; no
// bytes at all for the empty set. O(size of the set in memory).
std::string WriteOrdinals(const Roaring& ordinals);

// Reads untrusted bytes. Errors: InvalidArgument, also for an ordinal that is not below
// kMessageLimits.ordinals_max.
Result<Roaring> ReadOrdinals(ByteView bytes);

}  // namespace trellis::wire
