#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/varint.h"

namespace trellis::segment_names {

// Signed to unsigned so that small magnitudes stay small: 0, -1, 1, -2, ...
constexpr uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// Walks untrusted bytes; every read is checked against the end and false says that it did not fit.
class NameReader {
 public:
  explicit NameReader(ByteView bytes)
      : begin_(bytes.data()), at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }
  bool at_end() const { return at_ == end_; }

  // False also for a varint of more than 64 bits.
  bool ReadVarint(uint64_t& value) {
    if (at_ != end_ && *at_ < 0x80) [[likely]] {
      value = *at_++;
      return true;
    }
    uint64_t result = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const uint8_t byte = *at_++;
      if (shift == 63 && byte > 1) return false;
      result |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        value = result;
        return true;
      }
    }
    return false;
  }
  bool ReadSigned(int64_t& value) {
    uint64_t coded;
    if (!ReadVarint(coded)) return false;
    value = UnZigZag(coded);
    return true;
  }
  bool ReadByte(uint8_t& value) {
    if (at_ == end_) return false;
    value = *at_++;
    return true;
  }
  bool ReadBytes(size_t size, std::string_view& bytes) {
    if (remaining() < size) return false;
    bytes = {reinterpret_cast<const char*>(at_), size};
    at_ += size;
    return true;
  }

 private:
  const uint8_t* begin_;
  const uint8_t* at_;
  const uint8_t* end_;
};

}  // namespace trellis::segment_names
