#pragma once

#include <memory>
#include <span>

#include "common/column/dictionary.h"
#include "common/column/forward_index.h"
#include "common/index/bloom_filter.h"
#include "common/index/inverted_index.h"
#include "common/index/range_index.h"
#include "common/segment/segment_directory.h"
#include "common/segment/segment_metadata.h"

namespace trellis::segment {

// How the columns of a segment are opened.
struct OpenOptions {
  // Dictionaries of segments from before August 2016, which name '%' or nothing as their padding,
  // lose it. Pinot itself does not do so: somebody has to wish it (format notes 3.3).
  bool legacy_padding = false;
};

// One open column: its dictionary, forward index and the indexes Trellis reads. Immutable, safe for
// many threads. Counted: whoever reads from it holds a reference as long as it uses views it was
// given; its segment must live as long.
class Column {
 public:
  const ColumnMetadata& metadata() const { return *metadata_; }
  const FieldSpec& field() const { return metadata_->field; }
  const column::Dictionary* dictionary() const { return dictionary_.get(); }  // null if none
  const column::ForwardIndexReader& forward() const { return *forward_; }
  // The segment has no forward index of it: it was rebuilt from the inverted index, so that a
  // multi-value row has each value once, in dictionary order.
  bool forward_rebuilt() const { return forward_rebuilt_; }
  const Roaring* null_documents() const { return nulls_.get(); }  // null if the column has no nulls
  const index::InvertedIndex* inverted() const { return inverted_.get(); }
  const index::RangeIndex* range() const { return range_.get(); }
  const index::BloomFilter* bloom() const { return bloom_.get(); }

  // Reads values (through the dictionary where encoded) and null flags of ascending `docs` into
  // `out`. A column may have a dictionary and still be raw: forward().is_dictionary_encoded()
  // tells.
  Status Read(std::span<const uint32_t> docs, column::ReadScratch& scratch,
              ColumnVector& out) const;
  // Sets the null flags of `docs` in `out`, which has one row each.
  void MarkNulls(std::span<const uint32_t> docs, ColumnVector& out) const;

 private:
  friend class ColumnOpener;
  const ColumnMetadata* metadata_ = nullptr;
  std::unique_ptr<column::Dictionary> dictionary_;
  std::unique_ptr<column::ForwardIndexReader> forward_;
  bool forward_rebuilt_ = false;
  std::unique_ptr<Roaring> nulls_;
  std::unique_ptr<index::InvertedIndex> inverted_;
  std::unique_ptr<index::RangeIndex> range_;
  std::unique_ptr<index::BloomFilter> bloom_;
};
using ColumnPointer = std::shared_ptr<const Column>;

// Opens one column of a segment from its buffers. Errors: Corrupt naming the index and where it
// lies; Unimplemented naming what is not read.
Result<ColumnPointer> OpenColumnOf(const SegmentMetadata& segment, const ColumnMetadata& metadata,
                                   const SegmentDirectory& directory,
                                   const OpenOptions& options = {});

}  // namespace trellis::segment
