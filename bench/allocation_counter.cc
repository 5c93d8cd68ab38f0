// Replaces the program's operator new by one that counts, in shared libraries too. In a file of its
// own: where the compiler sees through it, it takes malloc and free for a mismatch.
#include "bench/allocation_counter.h"

#include <cstdlib>
#include <new>

void* operator new(size_t size) {
  ++trellis::bench::g_allocations.count;
  trellis::bench::g_allocations.bytes += size;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
void* operator new[](size_t size) { return operator new(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
