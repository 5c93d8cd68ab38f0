#pragma once

#include <cstddef>
#include <string>

namespace trellis::bench {

// Registers SegmentList/<op>/known*/<naming>/<count>.
void RegisterKnown(const std::string& naming, size_t count);

// Registers Memory/server/<count> and Memory/broker_<servers>/<count>: bytes a segment costs either
// end.
void RegisterMemory(size_t count);

}  // namespace trellis::bench
