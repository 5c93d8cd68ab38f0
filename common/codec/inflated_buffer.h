#pragma once

#include <memory>

#include "common/base/bytes.h"

namespace trellis::codec {

// Memory for one inflated chunk. It can be shared with readers of the bytes: a buffer that somebody
// else still holds is never written again, Prepare then takes new memory. Not thread-safe; holders
// may release their references on any thread.
class InflatedBuffer {
 public:
  // Returns `size` writable, uninitialised bytes; former views of this object end here. Existing
  // memory is used again when it is large enough and nobody else holds it.
  uint8_t* Prepare(size_t size);
  // Drops bytes at the end. REQUIRES: size <= view().size().
  void Shrink(size_t size) { size_ = size; }
  ByteView view() const { return {bytes_.get(), size_}; }
  // The memory that is held.
  size_t capacity_bytes() const { return capacity_; }
  uint8_t* mutable_data() { return bytes_.get(); }
  // Keeps the present bytes alive, whatever happens to this object.
  std::shared_ptr<const void> Share() const { return bytes_; }

 private:
  std::shared_ptr<uint8_t[]> bytes_;
  size_t capacity_ = 0;
  size_t size_ = 0;
};

}  // namespace trellis::codec
