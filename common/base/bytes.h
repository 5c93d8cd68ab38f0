#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "common/base/status.h"

namespace trellis {

// Borrowed bytes; the owner is named where a view is handed out.
using ByteView = std::span<const uint8_t>;

inline ByteView AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view AsText(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Unaligned loads. T is any trivially copyable type of 1, 2, 4 or 8 bytes, floating types included.
// REQUIRES: sizeof(T) readable bytes at `p`.
template <class T>
inline T LoadLittleEndian(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;  // every platform we build for is little-endian
}
template <class T>
inline T LoadBigEndian(const uint8_t* p) {
  if constexpr (sizeof(T) == 1) {
    return LoadLittleEndian<T>(p);
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(__builtin_bswap16(LoadLittleEndian<uint16_t>(p)));
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(__builtin_bswap32(LoadLittleEndian<uint32_t>(p)));
  } else {
    static_assert(sizeof(T) == 8);
    return std::bit_cast<T>(__builtin_bswap64(LoadLittleEndian<uint64_t>(p)));
  }
}
template <class T>
inline void StoreBigEndian(T value, uint8_t* p) {
  T swapped = LoadBigEndian<T>(reinterpret_cast<const uint8_t*>(&value));
  std::memcpy(p, &swapped, sizeof(T));
}
static_assert(std::endian::native == std::endian::little);

// Walks untrusted bytes; every read is checked against the end. Not thread-safe.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return remaining() == 0; }

  template <class T>
  Result<T> ReadBigEndian() {
    if (remaining() < sizeof(T)) return Short(sizeof(T));
    T value = trellis::LoadBigEndian<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }
  template <class T>
  Result<T> ReadLittleEndian() {
    if (remaining() < sizeof(T)) return Short(sizeof(T));
    T value = trellis::LoadLittleEndian<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }
  // Returns the next `size` bytes as a view into the source.
  Result<ByteView> ReadBytes(size_t size) {
    if (remaining() < size) return Short(size);
    ByteView view = bytes_.subspan(position_, size);
    position_ += size;
    return view;
  }

 private:
  Status Short(size_t wanted) const {
    return Status::Corrupt("{} bytes wanted at offset {}, {} left", wanted, position_, remaining());
  }
  ByteView bytes_;
  size_t position_ = 0;
};

}  // namespace trellis
