#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::segment {

// One buffer of `columns.psf` as `index_map` places it (format notes 1.2): the marker of 8 bytes
// lies at `start_offset` and is part of `size_bytes`. A size of 0 stands for an index stored
// elsewhere.
struct IndexMapEntry {
  std::string column;
  std::string index;  // "forward_index", ...; ids Trellis does not know are kept
  uint64_t start_offset = 0;
  uint64_t size_bytes = 0;
};

inline constexpr uint64_t kIndexMarkerSizeBytes = 8;
inline constexpr uint64_t kIndexMarker = 0xDEADBEEFDEAFBEAD;  // big-endian in the file

// An `index_map` as an open segment keeps it: 32 bytes an entry, each column's name once. No range
// is compared with a file here. Immutable; safe for many threads.
class IndexMap {
 public:
  struct Entry {
    uint64_t start_offset = 0;
    uint64_t size_bytes = 0;
    uint32_t column_at = 0;  // in the names
    uint32_t column_bytes = 0;
    uint32_t index_at = 0;  // of the ids
  };

  // Errors: Corrupt for a key of another form, a number that is missing, repeated, negative or not
  // decimal, a size of 1 to 7, and ranges that overflow 63 bits or overlap.
  static Result<IndexMap> Parse(std::string_view text);

  // In the order of column and index.
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* Find(std::string_view column, std::string_view index) const;
  std::string_view ColumnOf(const Entry& entry) const;
  std::string_view IndexOf(const Entry& entry) const;
  // In the order of their start offsets.
  std::vector<IndexMapEntry> ByOffset() const;

 private:
  std::vector<Entry> entries_;
  std::string names_;
  std::vector<std::string> other_ids_;
};

// The entries of an `index_map` in the order of their start offsets. Errors: as IndexMap::Parse.
Result<std::vector<IndexMapEntry>> ParseIndexMap(std::string_view text);

}  // namespace trellis::segment
