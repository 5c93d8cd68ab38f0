#include "broker/query/answer_parts.h"

#include <algorithm>
#include <map>

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

// The first of `total` names.
std::string ListOf(const std::vector<std::string>& names, size_t total) {
  std::string text;
  const size_t shown = std::min(names.size(), kNamesShown);
  for (size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + names[i];
  if (total > shown) text += fmt::format(" and {} more", total - shown);
  return text;
}

// Of the first few.
std::vector<std::string> NamesOf(const Table& table, const Roaring& ids) {
  std::vector<std::string> names;
  for (auto id = ids.begin(); id != ids.end() && names.size() < kNamesShown; ++id)
    names.emplace_back(table.segments->name(*id));
  return names;
}

std::string Counted(const Route& route, const Roaring& ids, std::vector<std::string> names) {
  return fmt::format("{} of {} segments of table {}: {}", ids.cardinality(),
                     route.table->segments->size(), route.table->name,
                     ListOf(names, ids.cardinality()));
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

DispatchStats BillOf(const ServerAnswer& server) {
  DispatchStats bill;
  bill.server = server.target;
  bill.encoding = server.encoding;
  bill.segments = server.segments;
  bill.wire_size_bytes = server.wire_bytes;
  bill.encode_us = server.encode_us;
  bill.decode_us = server.decode_us;
  bill.names_sent = server.names_sent;
  bill.cache_hit = server.cache_hit;
  bill.attempts = server.attempts;
  bill.encoded_at_us = server.encoded_at_us;
  bill.sent_at_us = server.sent_at_us;
  return bill;
}

// Segments that servers were asked for and do not hold, or cannot read.
Status MissingStatus(const Route& route, const DispatchOutcome& outcome) {
  if (outcome.missing.isEmpty()) return Status::Ok();
  std::vector<std::string> names = NamesOf(*route.table, outcome.missing);
  for (std::string& name : names) {
    for (const ServerAnswer& server : outcome.servers) {
      const auto broken =
          std::find_if(server.broken.begin(), server.broken.end(),
                       [&](const wire::BrokenSegment& segment) { return segment.name == name; });
      if (broken == server.broken.end()) continue;
      name += " (" + server.target + ": " + broken->reason + ")";
      break;
    }
  }
  return Status(
      StatusCode::kNotFound,
      "no server that was asked can serve " + Counted(route, outcome.missing, std::move(names)),
      PinotCode::kSegmentUnavailable);
}

}  // namespace

void AddException(QueryResponse& response, const Status& status) {
  int code = static_cast<int>(status.pinot_code());
  if (status.pinot_code() == PinotCode::kNone) code = static_cast<int>(PinotCode::kInternal);
  const auto there = std::find_if(response.exceptions.begin(), response.exceptions.end(),
                                  [&](const QueryException& e) { return e.code == code; });
  if (there == response.exceptions.end()) {
    response.exceptions.push_back({code, status.message()});
  } else if (status.pinot_code() == PinotCode::kSegmentUnavailable) {
    there->message += "; " + status.message();  // other segments: each is to be named
  }
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

void AddUnavailable(QueryResponse& response, const Route& route) {
  const Table& table = *route.table;
  const uint64_t count = route.unavailable->cardinality() + table.broken.size();
  if (count == 0) return;
  std::vector<std::string> names = NamesOf(table, *route.unavailable);
  for (const BrokenReport& broken : table.broken) {
    if (names.size() >= kNamesShown) break;
    names.push_back(broken.name + " (" + broken.reason + ")");
  }
  AddException(response, Status(StatusCode::kUnavailable,
                                fmt::format("{} of {} segments of table {} are unavailable: {}",
                                            count, table.segments->size() + table.broken.size(),
                                            table.name, ListOf(names, count)),
                                PinotCode::kSegmentUnavailable));
}

void AddUnreported(QueryResponse& response, const CatalogSnapshot& snapshot) {
  std::vector<std::string> targets;
  for (const ServerEntry& server : snapshot.servers) {
    if (!server.reported) targets.push_back(server.target);
  }
  if (targets.empty()) return;
  AddException(
      response,
      Status(StatusCode::kUnavailable,
             fmt::format("{} of {} servers have not reported yet what they hold: {}",
                         targets.size(), snapshot.servers.size(), ListOf(targets, targets.size())),
             PinotCode::kServerNotResponding));
}

Status AddServers(QueryResponse& response, const Route& route, const DispatchOutcome& outcome) {
  response.retries = outcome.retries;
  response.hedges = outcome.hedges;
  for (const ServerAnswer& server : outcome.servers) {
    ++response.statistics.servers_queried;
    if (server.responded) ++response.statistics.servers_responded;
    AddStatistics(response.statistics, server.statistics);
    response.groups_limit_reached |= server.statistics.groups_limit_reached;
    response.dispatch_stats.push_back(BillOf(server));
  }
  // Whatever failed on the way: nothing is missing from the answer.
  if (outcome.uncovered.isEmpty()) return Status::Ok();
  response.partial_result = true;
  Status fault;
  std::map<PinotCode, Status> unreachable;  // by code: one exception for all servers of a kind
  for (const ServerAnswer& server : outcome.servers) {
    if (server.status.ok()) continue;
    const Status named = server.status.WithContext("server " + server.target);
    if (LeavesRows(server.status.pinot_code())) {
      Status& same = unreachable[server.status.pinot_code()];
      same = same.ok()
                 ? named
                 : Status(same.code(), same.message() + "; " + named.message(), same.pinot_code());
    } else if (fault.ok() || named.pinot_code() == PinotCode::kQueryValidation) {
      fault = named;  // of several, Pinot shows a validation error first
    }
  }
  if (!fault.ok()) return fault;
  const Status missing = MissingStatus(route, outcome);
  const Roaring lost = outcome.uncovered - outcome.missing;
  const std::string counted = Counted(route, lost, NamesOf(*route.table, lost));
  Status first = missing;
  for (const auto& [code, status] : unreachable) {
    const Status whole(
        status.code(),
        lost.isEmpty() ? status.message() : status.message() + "; not in the answer: " + counted,
        code);
    if (first.ok() || code == PinotCode::kServerNotResponding) first = whole;
    AddException(response, whole);
  }
  if (!missing.ok()) AddException(response, missing);
  // Rows over nothing would look like an answer.
  return outcome.uncovered.cardinality() == route.segments_routed ? first : Status::Ok();
}

}  // namespace trellis::broker
