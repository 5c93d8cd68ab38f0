#include "common/codec/inflated_buffer.h"

namespace trellis::codec {

uint8_t* InflatedBuffer::Prepare(size_t size) {
  bool reusable = bytes_ != nullptr && capacity_ >= size && bytes_.use_count() == 1;
  if (reusable) {
    // use_count() is a relaxed load. Counting up and down once orders our writes after the last
    // reads of a holder that let go on another thread.
    const std::shared_ptr<uint8_t[]> ordered = bytes_;
  } else {
    bytes_ = std::make_shared_for_overwrite<uint8_t[]>(size);
    capacity_ = size;
  }
  size_ = size;
  return bytes_.get();
}

}  // namespace trellis::codec
