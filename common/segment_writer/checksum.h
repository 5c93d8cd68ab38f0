#pragma once

#include <cstdint>
#include <filesystem>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace trellis::segment_writer {

// Adler-32 (zlib's) of bytes that come in pieces, or of which the sum is known already.
class Adler {
 public:
  void Add(ByteView bytes);
  // Adds `size_bytes` bytes whose own sum is `adler`.
  void AddSum(uint32_t adler, uint64_t size_bytes);
  uint32_t sum() const { return sum_; }

 private:
  uint32_t sum_ = 1;
};

// Of a whole file. Errors: those of memory::MappedFile.
Result<uint32_t> AdlerOfFile(const std::filesystem::path& path);

}  // namespace trellis::segment_writer
