#include "common/memory/scan_advice.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace trellis::memory {

void AdviseScan(ByteView bytes) {
  if (bytes.empty()) return;
  static const auto page_size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(bytes.data()) & ~(page_size - 1);
  const auto end =
      reinterpret_cast<uintptr_t>(bytes.data()) + std::min(bytes.size(), kScanAdviceSizeBytesMax);
  // Only a hint: a system that refuses it serves the reads all the same.
  (void)::madvise(reinterpret_cast<void*>(start), end - start, MADV_WILLNEED);
}

}  // namespace trellis::memory
