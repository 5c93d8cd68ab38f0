#include "broker/front/json_response.h"

#include <fmt/format.h>

#include <iterator>

#include "broker/front/json_rows.h"
#include "broker/front/json_text.h"

namespace trellis::broker {
namespace {

// Appends the fields of one JSON object in the order of its calls.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  void End() { out_ += '}'; }

  // Starts a field whose value the caller appends.
  std::string& Field(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    AppendJsonString(name, out_);
    out_ += ':';
    return out_;
  }
  void Integer(std::string_view name, int64_t value) {
    fmt::format_to(std::back_inserter(Field(name)), "{}", value);
  }
  void Boolean(std::string_view name, bool value) { Field(name) += value ? "true" : "false"; }
  void String(std::string_view name, std::string_view value) {
    AppendJsonString(value, Field(name));
  }

 private:
  std::string& out_;
  bool first_ = true;
};

// Appends `[...]`, each element by `append(element)`.
template <class Elements, class Append>
void AppendList(const Elements& elements, std::string& out, Append append) {
  out += '[';
  bool first = true;
  for (const auto& element : elements) {
    if (!first) out += ',';
    first = false;
    append(element);
  }
  out += ']';
}

bool IsPartial(const QueryResponse& r) {
  return r.partial_result || !r.exceptions.empty() || r.groups_limit_reached ||
         r.distinct_rows_limit_reached || r.distinct_no_change_limit_reached ||
         r.distinct_time_limit_reached;
}

void AppendOutcome(const QueryResponse& r, ObjectWriter& json, std::string& out) {
  if (r.table) AppendResultTableJson(*r.table, r.null_handling, json.Field("resultTable"));
  json.Integer("numRowsResultSet", r.table ? static_cast<int64_t>(r.table->rows.rows) : 0);
  json.Boolean("partialResult", IsPartial(r));
  AppendList(r.exceptions, json.Field("exceptions"), [&out](const QueryException& exception) {
    ObjectWriter entry(out);
    entry.Integer("errorCode", exception.code);
    entry.String("message", exception.message);
    entry.End();
  });
  json.Boolean("numGroupsLimitReached", r.groups_limit_reached);
  json.Boolean("numGroupsWarningLimitReached", r.groups_warning_limit_reached);
  json.Boolean("maxRowsInDistinctReached", r.distinct_rows_limit_reached);
  json.Boolean("maxRowsWithoutChangeInDistinctReached", r.distinct_no_change_limit_reached);
  json.Boolean("maxExecutionTimeInDistinctReached", r.distinct_time_limit_reached);
  json.Integer("timeUsedMs", r.time_used_ms);
  json.String("requestId", r.request_id);
  if (r.client_request_id) {
    json.String("clientRequestId", *r.client_request_id);
  } else {
    json.Field("clientRequestId") += "null";
  }
  json.String("brokerId", r.broker_id);
}

void AppendStatistics(const QueryStatistics& s, ObjectWriter& json) {
  json.Integer("numDocsScanned", s.docs_scanned);
  json.Integer("totalDocs", s.total_docs);
  json.Integer("numEntriesScannedInFilter", s.entries_scanned_in_filter);
  json.Integer("numEntriesScannedPostFilter", s.entries_scanned_post_filter);
  json.Integer("numServersQueried", s.servers_queried);
  json.Integer("numServersResponded", s.servers_responded);
  json.Integer("numSegmentsQueried", s.segments_queried);
  json.Integer("numSegmentsProcessed", s.segments_processed);
  json.Integer("numSegmentsMatched", s.segments_matched);
  for (const char* consuming : {"numConsumingSegmentsQueried", "numConsumingSegmentsProcessed",
                                "numConsumingSegmentsMatched", "minConsumingFreshnessTimeMs"}) {
    json.Integer(consuming, 0);  // sealed segments only
  }
  json.Integer("numSegmentsPrunedByBroker", s.segments_pruned_by_broker);
  json.Integer("numSegmentsPrunedByServer", s.segments_pruned_by_server);
  json.Integer("numSegmentsPrunedInvalid", s.segments_pruned_invalid);
  json.Integer("numSegmentsPrunedByLimit", s.segments_pruned_by_limit);
  json.Integer("numSegmentsPrunedByValue", s.segments_pruned_by_value);
  json.Integer("brokerReduceTimeMs", s.broker_reduce_time_ms);
  json.Integer("offlineThreadCpuTimeNs", s.thread_cpu_time_ns);
  for (const char* unmeasured :
       {"realtimeThreadCpuTimeNs", "offlineSystemActivitiesCpuTimeNs",
        "realtimeSystemActivitiesCpuTimeNs", "offlineResponseSerializationCpuTimeNs",
        "realtimeResponseSerializationCpuTimeNs"}) {
    json.Integer(unmeasured, 0);
  }
  json.Integer("offlineTotalCpuTimeNs", s.thread_cpu_time_ns);
  json.Integer("realtimeTotalCpuTimeNs", 0);
  json.Integer("explainPlanNumEmptyFilterSegments", s.explain_empty_filter_segments);
  json.Integer("explainPlanNumMatchAllFilterSegments", s.explain_match_all_filter_segments);
}

void AppendTraceAndTables(const QueryResponse& r, ObjectWriter& json, std::string& out) {
  ObjectWriter trace(json.Field("traceInfo"));
  for (const auto& [name, text] : r.trace) trace.String(name, text);
  trace.End();
  AppendList(r.tables_queried, json.Field("tablesQueried"),
             [&out](const std::string& table) { AppendJsonString(table, out); });
  for (const char* unmeasured :
       {"offlineThreadMemAllocatedBytes", "realtimeThreadMemAllocatedBytes",
        "offlineResponseSerMemAllocatedBytes", "realtimeResponseSerMemAllocatedBytes",
        "offlineTotalMemAllocatedBytes", "realtimeTotalMemAllocatedBytes"}) {
    json.Integer(unmeasured, 0);
  }
  json.Field("pools") += "[-1]";  // no replica-group pools
  json.Boolean("rlsFiltersApplied", false);
  json.Boolean("groupsTrimmed", r.groups_trimmed);
  json.String("serverStats", "");
  json.Boolean("mseLiteLeafStageLimitReached", false);
}

void AppendDispatch(const QueryResponse& r, ObjectWriter& json, std::string& out) {
  ObjectWriter dispatch(json.Field("dispatchStats"));
  AppendList(r.dispatch_stats, dispatch.Field("servers"), [&out](const DispatchStats& stats) {
    ObjectWriter entry(out);
    entry.String("server", stats.server);
    entry.String("encoding", stats.encoding);
    entry.Integer("segments", stats.segments);
    entry.Integer("wireBytes", stats.wire_size_bytes);
    entry.Integer("encodeUs", stats.encode_us);
    entry.Integer("decodeUs", stats.decode_us);
    entry.Integer("namesSent", stats.names_sent);
    entry.Boolean("cacheHit", stats.cache_hit);
    entry.Integer("attempts", stats.attempts);
    entry.Integer("encodedAtUs", stats.encoded_at_us);
    entry.Integer("sentAtUs", stats.sent_at_us);
    entry.End();
  });
  dispatch.Integer("retries", r.retries);
  dispatch.Integer("hedges", r.hedges);
  dispatch.End();
  ObjectWriter stations(json.Field("stationTimesUs"));
  for (const auto& [name, time_us] : r.stations) stations.Integer(name, time_us);
  stations.End();
}

}  // namespace

std::string QueryResponseJson(const QueryResponse& response) {
  std::string out;
  ObjectWriter json(out);
  AppendOutcome(response, json, out);
  AppendStatistics(response.statistics, json);
  AppendTraceAndTables(response, json, out);
  AppendDispatch(response, json, out);
  json.End();
  return out;
}

}  // namespace trellis::broker
