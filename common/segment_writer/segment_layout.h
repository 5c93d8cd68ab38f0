#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "common/base/status.h"
#include "common/segment_writer/column_facts.h"
#include "common/segment_writer/column_plan.h"

namespace trellis::segment_writer {

struct SegmentSums {
  uint32_t crc = 1;       // of the segment's files
  uint32_t data_crc = 1;  // of dictionaries and forward indexes
  bool has_data_crc = true;
};

// Where columns' files are when a segment is laid out, and what is to be said of them.
struct LayoutInput {
  std::filesystem::path files;    // the folder of the columns' files
  std::filesystem::path segment;  // the segment's folder
  std::span<const ColumnPlan> plans;
  std::span<const ColumnFacts> facts;
  uint32_t documents = 0;
  std::string_view metadata;  // the text of metadata.properties
  int64_t creation_time_ms = 0;
};

// Lays a segment out in version 3 (format notes 1.2, 1.3): moves the columns' files, one after the
// other, into `v3/columns.psf`, in the order in which Pinot does. Cost: one copy of every byte.
// Errors: those of the disk.
Result<SegmentSums> WritePackedLayout(const LayoutInput& input);

// In version 1: `files` and `segment` are one folder, which lacks two files yet.
Result<SegmentSums> WriteFilesLayout(const LayoutInput& input);

}  // namespace trellis::segment_writer
