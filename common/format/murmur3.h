#pragma once

#include <cstdint>
#include <string_view>

namespace trellis::format {

struct Hash128 {
  uint64_t low;
  uint64_t high;
};

// MurmurHash3_x64_128 with seed 0, as Guava's bloom filters use it (format notes 7.4).
Hash128 Murmur3(std::string_view text);

}  // namespace trellis::format
