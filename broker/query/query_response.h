#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/reduce/result_table.h"

namespace trellis::broker {

struct QueryException {
  int code = 0;  // Pinot's
  std::string message;
};

// What scanning cost, summed over servers (pinot-sql.md section 6).
struct QueryStatistics {
  int64_t docs_scanned = 0;
  int64_t total_docs = 0;
  int64_t entries_scanned_in_filter = 0;
  int64_t entries_scanned_post_filter = 0;
  int32_t servers_queried = 0;
  int32_t servers_responded = 0;
  int64_t segments_queried = 0;
  int64_t segments_processed = 0;
  int64_t segments_matched = 0;
  int64_t segments_pruned_by_broker = 0;
  int64_t segments_pruned_by_server = 0;
  int64_t segments_pruned_invalid = 0;
  int64_t segments_pruned_by_limit = 0;
  int64_t segments_pruned_by_value = 0;
  int64_t thread_cpu_time_ns = 0;  // of the leaves, reported as OFFLINE
  int64_t broker_reduce_time_ms = 0;
  int64_t explain_empty_filter_segments = 0;
  int64_t explain_match_all_filter_segments = 0;
};

// The dispatch bill of one server.
struct DispatchStats {
  std::string server;
  std::string encoding;  // "known", "packed", "names", "legacy_json"
  int64_t segments = 0;
  int64_t wire_size_bytes = 0;
  int64_t encode_us = 0;
  int64_t decode_us = 0;
  int64_t names_sent = 0;
  bool cache_hit = false;  // the list was encoded for an earlier query
  int32_t attempts = 1;
  int64_t encoded_at_us = 0;  // since the plan was ready
  int64_t sent_at_us = 0;
};

// Everything an HTTP answer of the broker says.
struct QueryResponse {
  std::optional<ResultTable> table;
  bool null_handling = false;
  std::vector<QueryException> exceptions;
  QueryStatistics statistics;
  // Besides these, an exception makes an answer partial. Set it when segments are missing.
  bool partial_result = false;
  bool groups_limit_reached = false;
  bool groups_warning_limit_reached = false;
  bool groups_trimmed = false;
  bool distinct_rows_limit_reached = false;
  bool distinct_no_change_limit_reached = false;
  bool distinct_time_limit_reached = false;
  std::string request_id;
  std::optional<std::string> client_request_id;
  std::string broker_id;
  int64_t time_used_ms = 0;
  std::vector<std::string> tables_queried;
  std::vector<std::pair<std::string, std::string>> trace;
  std::vector<DispatchStats> dispatch_stats;
  int32_t retries = 0;  // attempts on another replica, or of a list that was out of date
  int32_t hedges = 0;
  std::vector<std::pair<std::string, int64_t>> stations;  // name, microseconds; in the path's order
};

}  // namespace trellis::broker
