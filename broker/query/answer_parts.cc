#include "broker/query/answer_parts.h"

#include <algorithm>

namespace trellis::broker {
namespace {

constexpr size_t kNamesShown = 10;

// Faults of servers and of missing data leave the other servers' rows standing; anything else is a
// fault of the query, which has no rows then.
bool LeavesRows(PinotCode code) {
  return code == PinotCode::kServerNotResponding || code == PinotCode::kServerShuttingDown ||
         code == PinotCode::kBrokerRequestSend || code == PinotCode::kServerSegmentMissing ||
         code == PinotCode::kSegmentUnavailable;
}

std::string ListOf(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kNamesShown; ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kNamesShown) text += fmt::format(" and {} more", names.size() - kNamesShown);
  return text;
}

void AddStatistics(QueryStatistics& total, const wire::LeafStatistics& leaf) {
  total.docs_scanned += leaf.documents_scanned;
  total.total_docs += leaf.documents_total;
  total.entries_scanned_in_filter += leaf.entries_scanned_in_filter;
  total.entries_scanned_post_filter += leaf.entries_scanned_post_filter;
  total.segments_queried += leaf.segments_queried;
  total.segments_processed += leaf.segments_processed;
  total.segments_matched += leaf.segments_matched;
  total.segments_pruned_by_server += leaf.segments_pruned;
  total.segments_pruned_by_value += leaf.segments_pruned_by_value;
  total.segments_pruned_by_limit += leaf.segments_pruned_by_limit;
}

}  // namespace

void AddException(QueryResponse& response, const Status& status) {
  int code = static_cast<int>(status.pinot_code());
  if (status.pinot_code() == PinotCode::kNone) code = static_cast<int>(PinotCode::kInternal);
  const bool there = std::any_of(response.exceptions.begin(), response.exceptions.end(),
                                 [&](const QueryException& e) { return e.code == code; });
  if (!there) response.exceptions.push_back({code, status.message()});
}

ResultTable LiteralTable(const BoundQuery& query) {
  ResultTable table{query.plan.reduce.output_names, query.plan.reduce.output_types, {}};
  for (const Value& literal : query.literals) {
    table.rows.columns.emplace_back(literal.value_type());
    if (query.plan.reduce.limit > 0) table.rows.columns.back().Append(literal);
  }
  table.rows.rows = query.plan.reduce.limit > 0 ? 1 : 0;
  return table;
}

void AddUnavailable(QueryResponse& response, const Table& table) {
  if (table.unavailable.empty()) return;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(table.unavailable.size(), kNamesShown + 1); ++i) {
    const SegmentEntry& segment = table.segments[table.unavailable[i]];
    names.push_back(segment.broken.empty() ? segment.name
                                           : segment.name + " (" + segment.broken + ")");
  }
  std::string text = ListOf(
      {names.begin(), names.begin() + static_cast<ptrdiff_t>(std::min(names.size(), kNamesShown))});
  if (table.unavailable.size() > kNamesShown)
    text += fmt::format(" and {} more", table.unavailable.size() - kNamesShown);
  AddException(response, Status(StatusCode::kUnavailable,
                                fmt::format("{} of {} segments of table {} are unavailable: {}",
                                            table.unavailable.size(), table.segments.size(),
                                            table.name, text),
                                PinotCode::kSegmentUnavailable));
}

void AddUnreported(QueryResponse& response, const CatalogSnapshot& snapshot) {
  std::vector<std::string> targets;
  for (const ServerEntry& server : snapshot.servers) {
    if (!server.reported) targets.push_back(server.target);
  }
  if (targets.empty()) return;
  AddException(response,
               Status(StatusCode::kUnavailable,
                      fmt::format("{} of {} servers have not reported yet what they hold: {}",
                                  targets.size(), snapshot.servers.size(), ListOf(targets)),
                      PinotCode::kServerNotResponding));
}

Status AddServers(QueryResponse& response, const DispatchOutcome& outcome) {
  Status fault;
  Status unreachable;
  bool any_answer = outcome.servers.empty();
  for (const ServerAnswer& server : outcome.servers) {
    ++response.statistics.servers_queried;
    if (server.responded) ++response.statistics.servers_responded;
    AddStatistics(response.statistics, server.statistics);
    response.groups_limit_reached |= server.statistics.groups_limit_reached;
    DispatchStats bill;
    bill.server = server.target;
    bill.encoding = server.encoding;
    bill.segments = server.segments;
    bill.wire_size_bytes = server.wire_bytes;
    bill.encode_us = server.encode_us;
    bill.decode_us = server.decode_us;
    bill.names_sent = server.segments;
    response.dispatch_stats.push_back(std::move(bill));
    if (!server.missing.empty()) {
      AddException(response,
                   Status(StatusCode::kNotFound,
                          fmt::format("server {} no longer holds {} segments: {}", server.target,
                                      server.missing.size(), ListOf(server.missing)),
                          PinotCode::kSegmentUnavailable));
    }
    if (!server.broken.empty()) {
      std::vector<std::string> names;
      for (const wire::BrokenSegment& broken : server.broken)
        names.push_back(broken.name + " (" + broken.reason + ")");
      AddException(response, Status(StatusCode::kDataLoss,
                                    fmt::format("server {} cannot read {} segments: {}",
                                                server.target, names.size(), ListOf(names)),
                                    PinotCode::kSegmentUnavailable));
    }
    if (server.status.ok()) {
      any_answer = true;
      continue;
    }
    const Status named = server.status.WithContext("server " + server.target);
    if (LeavesRows(server.status.pinot_code())) {
      if (unreachable.ok()) unreachable = named;
      AddException(response, named);
    } else if (fault.ok() || named.pinot_code() == PinotCode::kQueryValidation) {
      fault = named;  // of several, Pinot shows a validation error first
    }
  }
  // Rows over nothing would look like an answer.
  return fault.ok() && !any_answer ? unreachable : fault;
}

}  // namespace trellis::broker
