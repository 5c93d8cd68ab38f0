#pragma once

#include <cstdint>

#include "common/base/bytes.h"

namespace trellis::format {

// The `.vl;` buffer: values of any length by position (pinot-segment-format.md 3.4). Dictionaries
// of text and bytes, and the two of a CLP column, are stored so. All big-endian:
//
//   0  ".vl;"        4  i32 version 1    8  i32 n    12  i32 D = start of the offsets
//   D  n+1 x i32 start of each value from the buffer's start; the last is the end of the buffer
//
// A view: the bytes must outlive it. Safe for many threads.
class VarLengthValues {
 public:
  VarLengthValues() = default;
  // Whether a buffer calls itself one; a dictionary of padded slots does not.
  static bool Recognizes(ByteView bytes);
  // Checks every offset. Cost: a walk over the offsets. Errors: Corrupt.
  static Result<VarLengthValues> Open(ByteView bytes);

  uint32_t size() const { return size_; }
  // The offsets are checked again, each where it was loaded: files may be written over while they
  // are mapped. False when a value no longer lies within the bytes. REQUIRES: position < size().
  bool Get(uint32_t position, ByteView& value) const {
    const uint8_t* at = bytes_.data() + offsets_start_ + size_t{position} * 4;
    const size_t start = LoadBigEndian<uint32_t>(at), end = LoadBigEndian<uint32_t>(at + 4);
    if (start > end || end > bytes_.size()) return false;
    value = bytes_.subspan(start, end - start);
    return true;
  }
  // The same; nothing when the value does not lie within the bytes.
  ByteView operator[](uint32_t position) const {
    ByteView value;
    Get(position, value);
    return value;
  }

 private:
  ByteView bytes_;
  size_t offsets_start_ = 0;
  uint32_t size_ = 0;
};

}  // namespace trellis::format
