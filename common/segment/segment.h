#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "common/segment/column.h"
#include "common/segment/segment_columns.h"

namespace trellis::segment {

// An open segment: metadata at once, columns on first use. Immutable, safe for many threads; shared
// by the queries that pin it. Every error names segment, column and offset.
class Segment {
 public:
  // Opens a segment directory (V1 or V3 layout) or a `.tar.gz` of one (unpacked into `scratch_dir`,
  // or a temporary directory of its own that is removed with the segment).
  static Result<std::shared_ptr<Segment>> Open(const std::filesystem::path& path,
                                               const std::filesystem::path& scratch_dir = {},
                                               const OpenOptions& options = {});

  const SegmentMetadata& metadata() const { return metadata_; }
  const std::string& name() const { return metadata_.name; }
  uint32_t document_count() const { return metadata_.document_count; }
  const SegmentDirectory& directory() const { return *directory_; }
  // Where an archive was unpacked to, as long as the segment lives; empty for a folder.
  std::filesystem::path unpacked_folder() const;

  // Opens a column by its exact name. Hold it as long as views it gave are used: the files under it
  // may be unmapped then. Errors: NotFound; Corrupt; Unimplemented; ResourceExhausted when too many
  // files are mapped and in use.
  Result<ColumnPointer> OpenColumn(std::string_view name) const;

  // Whether what was read so far was really there: a file cut short while it is mapped reads as
  // zeros. Ask after each block that was read, before anything of it is answered. Costs about 1 us
  // a mapped file (one of a V3 segment). Error: Corrupt naming segment and file, then always.
  Status CheckIntact() const;
  // The same, but only by what reads have met: nothing but a load while all files of the process
  // are whole. For the blocks of a scan that ends with CheckIntact.
  Status CheckTorn() const;

 private:
  Segment() = default;
  struct Unpacked;
  std::shared_ptr<const Unpacked> unpacked_;  // of an archive; outlives directory_
  OpenOptions options_;
  SegmentMetadata metadata_;
  std::unique_ptr<SegmentDirectory> directory_;
  mutable SegmentColumns columns_;
};

}  // namespace trellis::segment
