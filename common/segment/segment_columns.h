#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "common/segment/column.h"

namespace trellis::segment {

struct ColumnSlot;

// The open columns of one segment, each opened when it is first asked for. Columns whose files are
// mapped only on use (V1, and V3 beyond the room for mappings that stay) are let go again when room
// for another one is needed and nobody holds them, the one that was asked for longest ago first,
// over all segments of the process. Thread-safe.
class SegmentColumns {
 public:
  SegmentColumns();
  ~SegmentColumns();
  SegmentColumns(const SegmentColumns&) = delete;
  SegmentColumns& operator=(const SegmentColumns&) = delete;

  // `column` is one of `segment.columns`. Errors: of OpenColumnOf and of SegmentDirectory::Hold;
  // those that time cannot heal are remembered.
  Result<ColumnPointer> Get(const SegmentMetadata& segment, const ColumnMetadata& column,
                            const SegmentDirectory& directory, const OpenOptions& options = {});

 private:
  ColumnSlot& SlotAt(size_t index, size_t count);
  std::mutex mutex_;
  std::vector<std::unique_ptr<ColumnSlot>> slots_;  // guarded by mutex_; null: never asked for
};

}  // namespace trellis::segment
