#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

namespace trellis::bench {

// What this thread has asked operator new for (allocation_counter.cc, linked into every benchmark):
// a benchmark that runs on many threads counts its own.
struct Allocations {
  uint64_t count = 0;
  uint64_t bytes = 0;
};
inline thread_local Allocations g_allocations;

// Counts from construction; Report divides by the iterations run and sets `alloc_bytes` and
// `allocs`.
class AllocationCounter {
 public:
  void Report(benchmark::State& state) const {
    const auto iterations = static_cast<double>(state.iterations());
    state.counters["allocs"] =
        static_cast<double>(g_allocations.count - before_.count) / iterations;
    state.counters["alloc_bytes"] =
        static_cast<double>(g_allocations.bytes - before_.bytes) / iterations;
  }

 private:
  Allocations before_ = g_allocations;
};

}  // namespace trellis::bench
