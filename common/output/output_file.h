#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace trellis::output {

// A file being written front to back, through one buffer of fixed size. After an error every later
// call gives the same error. Not thread-safe.
class OutputFile {
 public:
  // Makes a new file. Errors: InvalidArgument when something is there already; Unavailable, naming
  // the path and the system's reason.
  static Result<OutputFile> Create(const std::filesystem::path& path);
  // Makes a file in `folder` that has no name and is gone once it is closed: for what is copied to
  // its place later. Errors: Unavailable.
  static Result<OutputFile> CreateUnnamed(const std::filesystem::path& folder);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  // Closes without a sync; what was not flushed is lost.
  ~OutputFile();

  // Errors: ResourceExhausted on a full disk or quota; Unavailable otherwise.
  Status Append(ByteView bytes);
  // Writes over bytes that were appended before: headers and tables whose content is known last.
  // REQUIRES: offset + bytes.size() <= size_bytes().
  Status WriteAt(uint64_t offset, ByteView bytes);
  // Appends all of `other`. Errors: as Append, those of `other` too.
  Status AppendFile(OutputFile& other);
  // Appends what `fill` writes, which returns how many bytes it wrote, into a mapping of the file's
  // end; room for `size_max` bytes is reserved first. Errors: as Append; what `fill` returns.
  Status AppendMapped(size_t size_max,
                      const std::function<Result<size_t>(std::span<uint8_t> to)>& fill);
  // Hands everything to the system.
  Status Flush();
  // Flushes and closes. Nothing may be called after it but the destructor. Durability is the staged
  // folder's business.
  Status Close();

  uint64_t size_bytes() const { return size_bytes_; }
  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, int descriptor);
  Status Write(uint64_t offset, ByteView bytes);
  Status Fail(const char* what);
  Result<size_t> CopyThrough(OutputFile& from, uint64_t offset, uint64_t size);

  std::string path_;
  int descriptor_ = -1;
  uint64_t size_bytes_ = 0;     // of what was appended, buffered or not
  uint64_t flushed_bytes_ = 0;  // of it, what the system has
  bool over_long_ = false;      // the system's file may be longer than what was appended
  std::vector<uint8_t> buffer_;
  Status error_;
};

}  // namespace trellis::output
