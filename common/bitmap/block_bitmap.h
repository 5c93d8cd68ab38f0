#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/bitmap/roaring_bitmap.h"

namespace trellis::bitmap {

// 65,536 values as bits, value v in bit v % 64 of word v / 64.
inline constexpr uint32_t kBlockValues = 65536;
using BlockBits = std::array<uint64_t, kBlockValues / 64>;

// Makes a roaring bitmap from blocks of bits by laying out its containers, without a look at each
// value. Memory: what the bitmap takes, twice while it is finished. Not thread-safe.
class BlockBitmapBuilder {
 public:
  // Adds the values key * 65,536 + (each set bit). REQUIRES: keys ascend.
  void Append(uint16_t key, const BlockBits& bits);
  // The bitmap of all that was added; the builder is empty afterwards.
  Roaring Finish();

 private:
  struct Head {
    uint16_t key;
    uint32_t cardinality;
    size_t offset;  // in containers_
  };
  std::vector<Head> heads_;
  std::string containers_;
};

}  // namespace trellis::bitmap
