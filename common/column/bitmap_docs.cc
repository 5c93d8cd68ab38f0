#include "common/column/bitmap_docs.h"

namespace trellis::column {

BitmapDocs::BitmapDocs(const Roaring& documents, size_t block_size)
    : block_size_(block_size), block_(std::make_unique_for_overwrite<uint32_t[]>(block_size)) {
  roaring_init_iterator(&documents.roaring, &iterator_);
}

std::span<const uint32_t> BitmapDocs::Next() {
  const uint32_t count =
      roaring_read_uint32_iterator(&iterator_, block_.get(), static_cast<uint32_t>(block_size_));
  return {block_.get(), count};
}

void BitmapDocs::SkipTo(uint32_t doc) {
  if (iterator_.has_value && iterator_.current_value < doc) {
    roaring_move_uint32_iterator_equalorlarger(&iterator_, doc);
  }
}

}  // namespace trellis::column
