#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace trellis::memory {

// A regular file mapped read-only, whole. Views live as long as the object; moving it keeps them
// valid. Safe for many threads. An empty file maps to an empty view.
//
// The size is taken from the open file, never from what another file says of it. Whoever replaces a
// mapped file must write a new one and rename it: cutting it short in place makes reads past its
// end fatal.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Errors: NotFound; InvalidArgument if it is not a regular file; Unavailable when the system
  // refuses.
  static Result<MappedFile> Open(const std::filesystem::path& path);

  ByteView bytes() const { return {data_, size_bytes_}; }
  uint64_t size_bytes() const { return size_bytes_; }
  const std::string& path() const { return path_; }

  // Errors: Corrupt, naming file and size, when [offset, offset + size_bytes) is not inside the
  // file.
  Result<ByteView> Range(uint64_t offset, uint64_t size_bytes) const;

 private:
  void Unmap();
  std::string path_;
  const uint8_t* data_ = nullptr;
  size_t size_bytes_ = 0;
};

// Reads a small file whole. Errors: NotFound; Unavailable; ResourceExhausted when it is larger than
// `size_bytes_max`.
Result<std::string> ReadWholeFile(const std::filesystem::path& path, uint64_t size_bytes_max);

}  // namespace trellis::memory
