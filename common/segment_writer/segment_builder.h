#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/table_config/indexing_config.h"
#include "common/types/schema.h"
#include "common/vector/column_vector.h"

namespace trellis::segment_writer {

struct BuildSettings {
  Schema schema;
  table_config::IndexingConfig indexing;
  std::string segment_name;
  std::string table_name;
  // Where the segment's folder (or, with `archive`, NAME.tar.gz) shall stand.
  std::filesystem::path output;
  bool overwrite = false;
  bool archive = false;
  unsigned threads = 1;
  int64_t creation_time_ms = 0;  // 0: now
  // Asked by Finish, from several threads, before each column and before the segment appears: true
  // ends it with Cancelled and nothing at the target.
  std::function<bool()> stopped;
  // Where columns are spilled while rows arrive; empty: inside the staged folder.
  std::filesystem::path spill_folder;
};

struct BuildReport {
  uint64_t rows = 0;
  uint64_t bytes = 0;  // of the finished segment
  int64_t crc = 0;
  std::filesystem::path path;
};

// Builds one segment of rows that arrive in batches. Each column is spilled to disk as it arrives
// and encoded at the end: memory goes by the distinct values of dictionary columns, one chunk a
// thread of raw ones and, with a sort column, 4 bytes a row and its values. Until Finish returns
// nothing stands at the target. Not thread-safe.
class SegmentBuilder {
 public:
  // Errors: InvalidArgument (a config that names a column the schema lacks, a codec that its column
  // cannot have, a name that ends in "v3"); those of output::StagedFolder.
  static Result<std::unique_ptr<SegmentBuilder>> Create(BuildSettings settings);
  virtual ~SegmentBuilder() = default;

  // A vector a field, in the order of schema.fields(), all of the same number of rows. Nulls must
  // lie over the field's default value; MAP rows are frames (column::MapFrameWriter), entries
  // sorted by key. Errors: those of the disk; InvalidArgument for a shape that is not the schema's.
  virtual Status Append(std::span<const ColumnVector> columns) = 0;
  // `progress` is told, from this thread, how many of how many columns are done.
  virtual Result<BuildReport> Finish(
      const std::function<void(size_t done, size_t columns)>& progress) = 0;
};

}  // namespace trellis::segment_writer
