#include "common/memory/mapping_bound.h"

#include <algorithm>
#include <atomic>

#include "common/memory/mapping_guard.h"

namespace trellis::memory {
namespace {

std::atomic<uint64_t> chosen_bound{0};
std::atomic<Reclaimer> reclaimer{nullptr};

}  // namespace

uint64_t MappingsBound() {
  const uint64_t chosen = chosen_bound.load(std::memory_order_relaxed);
  const uint64_t bound = chosen != 0 ? chosen : SystemMappingsMax() / 4 * 3;
  return std::clamp<uint64_t>(bound, 1, kRegisteredMappingsMax);
}

void SetMappingsBound(uint64_t bound) { chosen_bound.store(bound, std::memory_order_relaxed); }

bool HasRoomToStay() {
  const uint64_t bound = MappingsBound();
  return RegisteredMappings() < bound - bound / 8;
}

void SetReclaimer(Reclaimer reclaim) { reclaimer.store(reclaim, std::memory_order_release); }

Status MakeRoomForMapping() {
  const uint64_t bound = MappingsBound();
  while (RegisteredMappings() >= bound) {
    const Reclaimer reclaim = reclaimer.load(std::memory_order_acquire);
    if (reclaim != nullptr && reclaim()) continue;
    return Status::ResourceExhausted(
        "{} files are mapped and in use, at most {} may be (segment-mappings-max; the system "
        "allows "
        "{}, vm.max_map_count)",
        RegisteredMappings(), bound, SystemMappingsMax());
  }
  return {};
}

MappingsUse CurrentMappings() {
  return {RegisteredMappings(), MappingsBound(), SystemMappingsMax(), TornMappingsTotal()};
}

}  // namespace trellis::memory
