#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::ingest {

// A file, or standard input ("-"), seen through a window that slides over it; gzip is unpacked on
// the way. Memory goes by what is not consumed yet. Not thread-safe.
class InputWindow {
 public:
  // Bytes behind unread() that may be read, though they mean nothing: what simdjson asks for.
  static constexpr size_t kPaddingBytes = 64;

  // Errors: NotFound, InvalidArgument for a folder, Unavailable.
  static Result<std::unique_ptr<InputWindow>> Open(const std::filesystem::path& path);

  // What was read and not consumed; valid until the next Fill.
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // All of the input is in unread().
  bool at_end() const { return at_end_; }
  // Reads more into unread(), or finds the end. Errors: Unavailable; Corrupt for gzip that is
  // damaged or cut.
  Status Fill();
  void Consume(size_t bytes) { begin_ += bytes; }

  // Of the file as it lies on disk, packed or not: progress. The size is 0 where there is none.
  uint64_t bytes_read() const;
  uint64_t size_bytes() const { return size_bytes_; }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };
  InputWindow() = default;

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  uint64_t size_bytes_ = 0;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
};

}  // namespace trellis::ingest
