#pragma once

#include <cstdint>

namespace trellis::server {

// What one lane, or all of them, saw of the segments. Names as in Pinot's response.
struct ScanStatistics {
  int64_t segments_processed = 0;
  int64_t segments_matched = 0;
  int64_t segments_pruned_by_value = 0;
  int64_t segments_pruned_by_limit = 0;
  int64_t documents_scanned = 0;
  int64_t entries_scanned_in_filter = 0;
  int64_t entries_scanned_post_filter = 0;
  bool groups_limit_reached = false;

  ScanStatistics& operator+=(const ScanStatistics& other) {
    segments_processed += other.segments_processed;
    segments_matched += other.segments_matched;
    segments_pruned_by_value += other.segments_pruned_by_value;
    segments_pruned_by_limit += other.segments_pruned_by_limit;
    documents_scanned += other.documents_scanned;
    entries_scanned_in_filter += other.entries_scanned_in_filter;
    entries_scanned_post_filter += other.entries_scanned_post_filter;
    groups_limit_reached |= other.groups_limit_reached;
    return *this;
  }
};

}  // namespace trellis::server
