#pragma once

#include <string_view>

#include "common/base/bytes.h"
#include "common/base/status.h"

// A MAP frame, big-endian (format notes 6.2):
//
//   i32 n, then n entries: i32 key length | key | i32 value length | value (one JSON text)

namespace trellis::column {

struct MapEntry {
  std::string_view key;
  std::string_view value;
};

inline Status DamagedFrame(std::string_view frame, size_t at) {
  return Status::Corrupt("MAP frame of {} bytes is damaged at {}", frame.size(), at);
}

// Walks the entries of a frame, one after the other. Lengths are unsigned here, so that a negative
// one is past every end. A view: the frame must outlive it.
class FrameWalk {
 public:
  explicit FrameWalk(std::string_view frame) : frame_(frame) {}

  // How many entries the frame claims to have; before anything else. Errors: Corrupt.
  Result<uint32_t> Count() {
    uint32_t count = 0;
    if (!TakeLength(count) || count > INT32_MAX) return DamagedFrame(frame_, 0);
    return count;
  }
  // Takes one entry; false when the frame does not hold it whole.
  bool Next(MapEntry& entry) { return TakeText(entry.key) && TakeText(entry.value); }
  size_t position() const { return at_; }
  bool at_end() const { return at_ == frame_.size(); }

 private:
  bool TakeLength(uint32_t& length) {
    if (frame_.size() - at_ < sizeof(length)) return false;
    length = LoadBigEndian<uint32_t>(reinterpret_cast<const uint8_t*>(frame_.data()) + at_);
    at_ += sizeof(length);
    return true;
  }
  bool TakeText(std::string_view& text) {
    uint32_t length = 0;
    if (!TakeLength(length) || length > frame_.size() - at_) return false;
    text = {frame_.data() + at_, length};
    at_ += length;
    return true;
  }

  std::string_view frame_;
  size_t at_ = 0;
};

}  // namespace trellis::column
