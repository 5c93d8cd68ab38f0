#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/wire/shared_bytes.h"

namespace trellis::wire {

// Arrow asks for buffers at multiples of 64 bytes.
inline constexpr size_t kBufferAlignment = 64;

struct BodyRange {
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
};

// Lays buffers out behind each other at aligned offsets; the gaps are zeros. Not thread-safe.
class BodyWriter {
 public:
  BodyRange Add(SharedBytes buffer);
  Slices TakeSlices() { return std::move(slices_); }
  uint64_t body_bytes() const { return body_bytes_; }

 private:
  Slices slices_;
  uint64_t body_bytes_ = 0;
};

// The vector's own memory as bytes, kept alive by `owner`.
template <class T>
SharedBytes VectorBytes(const std::vector<T>& values, std::shared_ptr<const void> owner) {
  return {{reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)},
          std::move(owner)};
}

// Validity bits of one null byte a row (1 = null).
std::string ToValidity(std::span<const uint8_t> nulls);
// The inverse. REQUIRES: validity holds (rows + 7) / 8 bytes.
std::vector<uint8_t> FromValidity(ByteView validity, size_t rows);

}  // namespace trellis::wire
