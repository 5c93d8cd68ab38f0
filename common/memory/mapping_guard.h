#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trellis::memory {

// Which read-only mappings of files this process has, and what happens when the file under one of
// them is cut short: the next read of a lost page would end the process (SIGBUS). The guard's
// handler puts zero pages there instead and marks the mapping as torn, and the read goes on with
// zeros. Whoever answers from a mapping must therefore ask whether it is torn after it has read
// and before it answers. Thread-safe.
//
// Faults outside registered mappings go to the handler that was there before, so that they still
// end the process as they did.

// A place in the register. A mapping has it from just after mmap to just before munmap.
using MappingId = uint32_t;

// How many mappings the register can hold at a time; it takes memory only for those it held.
inline constexpr uint32_t kRegisteredMappingsMax = 1u << 20;

// Installs the handler; later calls do nothing. The first registered mapping does it too; a process
// that installs handlers of its own calls it after them.
void InstallBusGuard();

// Registers [begin, begin + size_bytes) as mmap gave it. nullopt when the register is full.
std::optional<MappingId> RegisterMapping(const void* begin, size_t size_bytes);
void UnregisterMapping(MappingId id);

// Whether pages of a mapping were lost. Never turns false again while it is registered.
bool IsTorn(MappingId id);
// Marks a mapping as torn by other evidence: bytes lost from its last page read as zeros without
// any fault.
void MarkTorn(MappingId id);
// Whether any mapping ever was torn: one load, for the common answer.
bool AnyTorn();
// How many were.
uint64_t TornMappingsTotal();

// How many mappings are registered now.
uint64_t RegisteredMappings();
// What the system allows a process, as read from /proc/sys/vm/max_map_count when first asked;
// 65,530 where that cannot be read. Heap, stacks and libraries take their part of it.
uint64_t SystemMappingsMax();

}  // namespace trellis::memory
