#pragma once

#include <cstdint>
#include <memory>
#include <roaring/roaring.hh>
#include <span>

namespace trellis::column {

// Walks the documents of a bitmap in blocks of ascending docIds, which is what readers take: one
// memory for all blocks, whole containers are unpacked at once. Not thread-safe; the bitmap must
// outlive it and stay as it is.
class BitmapDocs {
 public:
  // REQUIRES: block_size > 0.
  BitmapDocs(const Roaring& documents, size_t block_size);
  // The next block, full but for the last one; empty at the end. Valid until the next call.
  std::span<const uint32_t> Next();
  // Goes on (forwards only) at the first document that is not below `doc`.
  void SkipTo(uint32_t doc);

 private:
  roaring_uint32_iterator_t iterator_;
  size_t block_size_;
  std::unique_ptr<uint32_t[]> block_;
};

}  // namespace trellis::column
