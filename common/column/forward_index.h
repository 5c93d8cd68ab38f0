#pragma once

#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::column {

// Per-thread working memory of raw readers: holds the chunk inflated last, so that a scan in docId
// order inflates each chunk once. One scratch serves one (thread, column) pair; it must not outlive
// the segment.
class ReadScratch {
 public:
  virtual ~ReadScratch() = default;
  // For readers: true once the system was told that the column is being scanned.
  bool scan_advised = false;
};

// Reads the values of documents of one column. Immutable, safe for many threads with a scratch
// each. docIds of a call must be strictly ascending and below the segment's document count
// (checked: InvalidArgument). Batches first: a single read is a batch of one.
class ForwardIndexReader {
 public:
  virtual ~ForwardIndexReader() = default;
  virtual bool is_dictionary_encoded() const = 0;
  virtual bool is_multi_value() const = 0;
  // Documents are in value order (SV dictionary columns): document ranges of a dictId are
  // contiguous.
  virtual bool is_sorted() const { return false; }
  virtual std::unique_ptr<ReadScratch> NewScratch() const = 0;

  // Dictionary-encoded only. SV: writes one id a document. MV: the ids of all rows flat, with
  // offsets[0..docs.size()] (offsets is ignored and may be null for SV).
  virtual Status ReadDictIds(std::span<const uint32_t> docs, ReadScratch& scratch,
                             std::vector<uint32_t>& ids, std::vector<uint32_t>* offsets) const;
  // Raw only. Resets `out` to the column's type and fills one row a document. Strings and MAP
  // frames are views into the mapping (PASS_THROUGH), into buffers that `out` keeps alive or into
  // its arena (CLP).
  virtual Status ReadValues(std::span<const uint32_t> docs, ReadScratch& scratch,
                            ColumnVector& out) const;
  // Sorted only: the inclusive document range [first, last] of a dictId.
  virtual Result<std::pair<uint32_t, uint32_t>> DocRange(uint32_t dict_id) const;
};

// What a reader must know beside the bytes.
struct ForwardIndexShape {
  DataType type = DataType::kUnknown;
  bool multi_value = false;
  bool dictionary_encoded = false;
  bool sorted = false;
  uint32_t document_count = 0;
  uint32_t cardinality = 0;
  int bits_per_element = 0;
  int64_t total_entries = 0;  // MV values
};

// Picks the reader by encoding and by the container's own version number (format notes 4 and 5.1).
// Errors: Corrupt, naming the place.
Result<std::unique_ptr<ForwardIndexReader>> OpenForwardIndex(ByteView payload,
                                                             const ForwardIndexShape& shape);

}  // namespace trellis::column
