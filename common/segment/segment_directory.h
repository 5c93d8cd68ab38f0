#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace trellis::segment {

// Where the index buffers of a segment lie: V1 (a file an index) or V3 (`index_map` +
// `columns.psf`). Format notes section 1. Immutable, safe for many threads; views live as long as
// the directory.
class SegmentDirectory {
 public:
  struct Entry {
    std::string column;
    std::string index;  // "dictionary", "forward_index", "inverted_index", ...
    uint64_t offset;    // in its file, payload start
    uint64_t size_bytes;
  };
  virtual ~SegmentDirectory() = default;

  static Result<std::unique_ptr<SegmentDirectory>> Open(const std::filesystem::path& segment_path);

  virtual bool is_v3() const = 0;
  // Every index buffer found, in file order.
  virtual std::vector<Entry> entries() const = 0;
  virtual bool empty() const = 0;  // there are none
  virtual bool Has(std::string_view column, std::string_view index) const = 0;
  // The payload without marker, mapped until the directory ends. Errors: NotFound; Corrupt when a
  // range leaves the file or a marker is wrong; Unavailable when the file was replaced since;
  // ResourceExhausted when too many files are mapped and in use (memory/mapping_bound.h).
  virtual Result<ByteView> Buffer(std::string_view column, std::string_view index) const = 0;
  // The same, mapped as long as `mapping` (and the directory) is held; a null one needs no holding.
  struct HeldBuffer {
    ByteView bytes;
    std::shared_ptr<const void> mapping;
  };
  virtual Result<HeldBuffer> Hold(std::string_view column, std::string_view index) const = 0;
  // `metadata.properties` and `creation.meta` (empty if absent), read whole.
  virtual Result<std::string> ReadMetadata() const = 0;
  virtual Result<std::string> ReadCreationMeta() const = 0;
  // Whether every mapped file still has all its bytes: memory::MappedFile::CheckIntact of each.
  virtual Status CheckIntact() const = 0;
  // Whether a read of any of them met a lost page. One load each.
  virtual bool torn() const = 0;
  // File name that `Buffer` of this index reads, for messages.
  virtual std::string FileOf(std::string_view column, std::string_view index) const = 0;
};

}  // namespace trellis::segment
