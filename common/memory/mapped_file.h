#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/memory/mapping_guard.h"

namespace trellis::memory {

// What a file written anew does not share with the one it replaces. All 0 where there is no file.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};
// Of what the path leads to.
FileIdentity IdentityOf(const std::string& path);
// The same of a file that must be there and regular. Errors: as MappedFile::Open.
Result<FileIdentity> IdentityOfFile(const std::string& path);
// Whether the path leads to the same file as before, and it has become shorter.
bool IsCutShort(const std::string& path, const FileIdentity& before);

// A regular file mapped read-only, whole. Views live as long as the object; moving it keeps them
// valid. Safe for many threads. An empty file maps to an empty view.
//
// The size is taken from the open file, never from what another file says of it. Whoever replaces a
// mapped file should write a new one and rename it: after cutting it short in place, reads of what
// is lost give zeros (mapping_guard.h). So: read, then CheckIntact, then answer.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Errors: NotFound; InvalidArgument if it is not a regular file; PermissionDenied;
  // ResourceExhausted when there are too many mappings; Unavailable when the system refuses.
  static Result<MappedFile> Open(const std::filesystem::path& path);

  ByteView bytes() const { return {data_, size_bytes_}; }
  uint64_t size_bytes() const { return size_bytes_; }
  const std::string& path() const { return path_; }
  const FileIdentity& identity() const { return identity_; }

  // Errors: Corrupt, naming file and size, when [offset, offset + size_bytes) is not inside the
  // file.
  Result<ByteView> Range(uint64_t offset, uint64_t size_bytes) const;

  // Whether a read met a page that the file no longer has. One load.
  bool torn() const { return id_ && IsTorn(*id_); }
  // Whether the file still has every byte that was mapped. Costs one stat by path, about 1 us: a
  // file cut short within its last page gives zeros without a fault. A path that leads to another
  // file by now tells nothing: the mapping keeps the old one. Errors: Corrupt, naming the file, and
  // from then on always.
  Status CheckIntact() const;

 private:
  void Unmap();
  Status Torn() const;
  std::string path_;
  const uint8_t* data_ = nullptr;
  size_t size_bytes_ = 0;
  FileIdentity identity_;
  std::optional<MappingId> id_;
};

// Reads a small file whole. Errors: NotFound; Unavailable; ResourceExhausted when it is larger than
// `size_bytes_max`.
Result<std::string> ReadWholeFile(const std::filesystem::path& path, uint64_t size_bytes_max);

}  // namespace trellis::memory
