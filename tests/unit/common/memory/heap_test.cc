#include "common/memory/heap.h"

#include <malloc.h>

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace trellis {
namespace {

// Bytes that glibc holds from the system in all arenas, mapped blocks left out.
size_t HeldBytes() { return mallinfo2().arena; }

TEST_CASE("threads that come and go do not each keep their own peak") {
  BoundHeap();
  const auto use = [] {
    std::vector<std::vector<char>> blocks;
    for (int i = 0; i < 200; ++i) blocks.emplace_back(size_t{64} << 10, 'x');
  };
  use();
  const size_t one_peak = size_t{200} * (64 << 10);
  for (int i = 0; i < 16; ++i) std::thread(use).join();
  CHECK(HeldBytes() < 4 * one_peak);
}

}  // namespace
}  // namespace trellis
