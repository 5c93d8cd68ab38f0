#pragma once

#include <cstdint>

#include "common/base/status.h"

namespace trellis::memory {

// How many files this process maps at a time. Files that stay mapped leave an eighth of the bound
// to those that are mapped when they are used; these give way to each other. Thread-safe; threads
// that map at the same time may go a few mappings beyond.

// Three quarters of SystemMappingsMax() unless set: heap, stacks and libraries are mappings too.
uint64_t MappingsBound();
// 0 = the default. At most kRegisteredMappingsMax.
void SetMappingsBound(uint64_t bound);

// Whether one more file may stay mapped.
bool HasRoomToStay();

// Lets go of at least one mapping that nobody uses; false when there is none.
using Reclaimer = bool (*)();
void SetReclaimer(Reclaimer reclaim);

// Makes room for a mapping that is about to be made. Error: ResourceExhausted naming the bound when
// everything mapped is in use.
Status MakeRoomForMapping();

// For metrics and warnings.
struct MappingsUse {
  uint64_t mapped = 0;
  uint64_t bound = 0;
  uint64_t system_max = 0;
  uint64_t torn_total = 0;
  bool nearly_full() const { return mapped * 5 > system_max * 4; }
};
MappingsUse CurrentMappings();

}  // namespace trellis::memory
