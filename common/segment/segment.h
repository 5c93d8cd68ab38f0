#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "common/column/dictionary.h"
#include "common/column/forward_index.h"
#include "common/index/bloom_filter.h"
#include "common/index/inverted_index.h"
#include "common/segment/segment_directory.h"
#include "common/segment/segment_metadata.h"

namespace trellis::segment {

// One open column: its dictionary, forward index and the indexes Trellis reads. Immutable, safe for
// many threads. Lives as long as its segment.
class Column {
 public:
  const ColumnMetadata& metadata() const { return *metadata_; }
  const FieldSpec& field() const { return metadata_->field; }
  const column::Dictionary* dictionary() const { return dictionary_.get(); }  // null if none
  const column::ForwardIndexReader& forward() const { return *forward_; }
  const Roaring* null_documents() const { return nulls_.get(); }  // null if the column has no nulls
  const index::InvertedIndex* inverted() const { return inverted_.get(); }
  const index::BloomFilter* bloom() const { return bloom_.get(); }

  // Reads values (through the dictionary where encoded) and null flags of ascending `docs` into
  // `out`. A column may have a dictionary and still be raw: forward().is_dictionary_encoded()
  // tells.
  Status Read(std::span<const uint32_t> docs, column::ReadScratch& scratch,
              ColumnVector& out) const;
  // Sets the null flags of `docs` in `out`, which has one row each.
  void MarkNulls(std::span<const uint32_t> docs, ColumnVector& out) const;

 private:
  friend class Segment;
  const ColumnMetadata* metadata_ = nullptr;
  std::unique_ptr<column::Dictionary> dictionary_;
  std::unique_ptr<column::ForwardIndexReader> forward_;
  std::unique_ptr<Roaring> nulls_;
  std::unique_ptr<index::InvertedIndex> inverted_;
  std::unique_ptr<index::BloomFilter> bloom_;
};

// An open segment: metadata at once, columns on first use. Immutable, safe for many threads; shared
// by the queries that pin it. Every error names segment, column and offset.
class Segment {
 public:
  // Opens a segment directory (V1 or V3 layout) or a `.tar.gz` of one (unpacked into `scratch_dir`,
  // or a temporary directory of its own that is removed with the segment).
  static Result<std::shared_ptr<Segment>> Open(const std::filesystem::path& path,
                                               const std::filesystem::path& scratch_dir = {});

  const SegmentMetadata& metadata() const { return metadata_; }
  const std::string& name() const { return metadata_.name; }
  uint32_t document_count() const { return metadata_.document_count; }
  const SegmentDirectory& directory() const { return *directory_; }

  // Opens a column by its exact name. Errors: NotFound; Corrupt; Unimplemented.
  Result<const Column*> OpenColumn(std::string_view name) const;

 private:
  struct Slot {
    std::once_flag once;
    Status status;
    Column column;
  };
  Segment() = default;
  Status OpenSlot(const ColumnMetadata& metadata, Column& column) const;
  Status OpenIndexes(const ColumnMetadata& metadata, Column& column) const;
  std::shared_ptr<const void>
      unpacked_;  // the folder an archive was unpacked into; outlives directory_
  SegmentMetadata metadata_;
  std::unique_ptr<SegmentDirectory> directory_;
  mutable std::vector<std::unique_ptr<Slot>> slots_;  // beside metadata_.columns
};

}  // namespace trellis::segment
