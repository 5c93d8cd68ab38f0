#pragma once

#include <cstdint>

namespace trellis::server {

// How often rows of MAP columns were looked at.
struct MapReads {
  uint64_t frames_read = 0;    // taken out of the forward index
  uint64_t frames_walked = 0;  // for one key or for many

  MapReads& operator+=(const MapReads& other) {
    frames_read += other.frames_read;
    frames_walked += other.frames_walked;
    return *this;
  }
};

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
  MapReads map_reads;  // no part of a response

  ScanStatistics& operator+=(const ScanStatistics& other) {
    segments_processed += other.segments_processed;
    segments_matched += other.segments_matched;
    segments_pruned_by_value += other.segments_pruned_by_value;
    segments_pruned_by_limit += other.segments_pruned_by_limit;
    documents_scanned += other.documents_scanned;
    entries_scanned_in_filter += other.entries_scanned_in_filter;
    entries_scanned_post_filter += other.entries_scanned_post_filter;
    groups_limit_reached |= other.groups_limit_reached;
    map_reads += other.map_reads;
    return *this;
  }
};

}  // namespace trellis::server
