#pragma once

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace trellis {

// Bump allocator for the bytes of a vector's strings. Everything lives until the arena dies.
// Not thread-safe.
class Arena {
 public:
  // Returns a copy of `bytes` that lives as long as the arena.
  std::string_view Copy(std::string_view bytes) {
    char* to = Allocate(bytes.size());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return {to, bytes.size()};
  }
  // Returns `size` uninitialised bytes.
  char* Allocate(size_t size) {
    if (size > left_) Grow(size);
    char* at = next_;
    next_ += size;
    left_ -= size;
    return at;
  }
  size_t allocated_bytes() const { return allocated_bytes_; }

 private:
  void Grow(size_t size) {
    constexpr size_t kChunkSizeBytes = 16 * 1024;
    const size_t chunk = size > kChunkSizeBytes ? size : kChunkSizeBytes;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk));
    next_ = chunks_.back().get();
    left_ = chunk;
    allocated_bytes_ += chunk;
  }
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t allocated_bytes_ = 0;
};

}  // namespace trellis
