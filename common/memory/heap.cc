#include "common/memory/heap.h"

#include <malloc.h>

namespace trellis {

void BoundHeap() {
  constexpr int kArenasMax = 2;
  constexpr int kMappedFromBytes = 1 << 20;  // such blocks go back to the system when freed
  constexpr int kTrimAboveBytes = 16 << 20;
  mallopt(M_ARENA_MAX, kArenasMax);
  mallopt(M_MMAP_THRESHOLD, kMappedFromBytes);
  mallopt(M_TRIM_THRESHOLD, kTrimAboveBytes);
}

}  // namespace trellis
