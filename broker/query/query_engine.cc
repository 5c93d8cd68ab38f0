#include "broker/query/query_engine.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "broker/bind/binder.h"
#include "broker/query/answer_parts.h"
#include "broker/query/dispatch_metrics.h"
#include "broker/query/explain_plan.h"
#include "broker/reduce/reducer.h"
#include "broker/routing/router.h"
#include "broker/sql/parser.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"

namespace trellis::broker {
namespace {

using Clock = std::chrono::steady_clock;

// How long a server that has just gone may take to be back.
constexpr std::chrono::milliseconds kReturnWait{1'000};
constexpr std::chrono::milliseconds kReturnPoll{10};

// Names each station's time in the response.
class Stopwatch {
 public:
  explicit Stopwatch(QueryResponse& response) : response_(response) {}
  void Station(const char* name) {
    const Clock::time_point now = Clock::now();
    response_.stations.emplace_back(
        name, std::chrono::duration_cast<std::chrono::microseconds>(now - last_).count());
    last_ = now;
  }

 private:
  QueryResponse& response_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

// One query on its way. Reads exactly like the path in design.md section 4.
class QueryEngine::Run {
 public:
  Run(QueryEngine& engine, const QueryCall& call, uint64_t number, CancelToken& cancel)
      : engine_(engine), call_(call), number_(number), cancel_(cancel), watch_(response_) {}

  QueryResponse Answer() {
    const Status status = Stations();
    if (!status.ok()) AddException(response_, status);
    if (!response_.exceptions.empty()) response_.partial_result = true;
    return std::move(response_);
  }

 private:
  Status Stations() {
    TRELLIS_ASSIGN_OR_RETURN(sql::Statement statement, sql::Parse(call_.sql));
    watch_.Station("parse");
    const auto snapshot = engine_.cluster_.snapshot();
    TRELLIS_ASSIGN_OR_RETURN(BoundQuery query,
                             Bind(std::move(statement), *snapshot, call_.options));
    watch_.Station("bind");
    response_.null_handling = true;  // leaves have cleared the nulls that do not count
    if (query.explain) return Explain(snapshot, query);
    if (!query.table) {
      response_.table = LiteralTable(query);
      return Status::Ok();
    }
    response_.tables_queried.push_back(query.table->raw_name);
    TRELLIS_ASSIGN_OR_RETURN(auto reducer, Reducer::Create(query.plan));
    if (!query.matches_nothing) {
      TRELLIS_RETURN_IF_ERROR(
          AskServers(snapshot, query, [&](Block block) { return reducer->Add(std::move(block)); }));
    }
    TRELLIS_ASSIGN_OR_RETURN(response_.table, reducer->Finish());
    response_.groups_limit_reached |= reducer->groups_limit_reached();
    if (response_.groups_limit_reached) response_.partial_result = true;
    watch_.Station("reduce");
    response_.statistics.broker_reduce_time_ms = response_.stations.back().second / 1000;
    return Status::Ok();
  }

  Status Explain(const std::shared_ptr<const CatalogSnapshot>& snapshot, BoundQuery& query) {
    if (query.table) response_.tables_queried.push_back(query.table->raw_name);
    if (!query.table || query.matches_nothing) {
      response_.table = BrokerOnlyPlan();
      return Status::Ok();
    }
    query.plan.leaf.explain = true;
    if (query.plan.reduce.limit == 0) query.plan.leaf.limit = 0;  // aggregations name none
    ExplainPlan plans(query.plan);
    TRELLIS_RETURN_IF_ERROR(
        AskServers(snapshot, query, [&](const Block& block) { return plans.Add(block); }));
    response_.table =
        plans.Finish(query.options.explain_verbose, response_.statistics.segments_queried);
    plans.CountFilters(response_.statistics);
    watch_.Station("reduce");
    return Status::Ok();
  }

  Status AskServers(const std::shared_ptr<const CatalogSnapshot>& snapshot, const BoundQuery& query,
                    const std::function<Status(Block)>& take) {
    const Route route = RouteWhenBack(snapshot, query);
    response_.statistics.segments_pruned_by_broker = static_cast<int64_t>(route.segments_pruned);
    response_.statistics.total_docs += route.rows_pruned;
    AddUnreported(response_, *route.snapshot);
    AddUnavailable(response_, route);
    watch_.Station("route");
    if (route.shares.empty()) {
      if (route.unavailable->isEmpty() &&
          (route.table->broken.empty() || route.segments_pruned > 0))
        return Status::Ok();
      return Status(StatusCode::kUnavailable, "no segment can be read",
                    PinotCode::kSegmentUnavailable);  // said already, by name
    }
    TRELLIS_ASSIGN_OR_RETURN(const DispatchOutcome outcome,
                             Dispatch(RequestOf(query, route), cancel_, take));
    response_.stations.emplace_back("handover", outcome.handed_over_us);
    watch_.Station("dispatch");
    CountDispatch(outcome);
    return AddServers(response_, route, outcome);
  }

  int64_t TimeoutMs(const BoundQuery& query) const {
    return std::min(query.options.timeout_ms.value_or(engine_.options_.timeout_ms),
                    engine_.options_.timeout_ms_max);
  }

  // Where segments that the query needs are on servers which have just gone, these may be
  // restarting: looks for them in newer catalogs for a moment.
  Route RouteWhenBack(std::shared_ptr<const CatalogSnapshot> snapshot,
                      const BoundQuery& query) const {
    const plan::Filter& filter = query.plan.leaf.filter;
    const bool prunes =
        query.options.broker_pruning && !query.explain && filter.kind != plan::Filter::Kind::kTrue;
    const plan::Filter* pruning = prunes ? &filter : nullptr;
    Route route = ChooseRoute(snapshot, query.table, pruning, number_);
    const std::chrono::milliseconds half_time(TimeoutMs(query) / 2);
    const Clock::time_point until = Clock::now() + std::min(kReturnWait, half_time);
    while (!route.unavailable->isEmpty() && query.options.retry && !cancel_.cancelled() &&
           Clock::now() < until && engine_.away_.AnyRecent(*snapshot, Clock::now())) {
      std::this_thread::sleep_for(kReturnPoll);
      const auto newest = engine_.cluster_.snapshot();
      if (newest == snapshot) continue;
      snapshot = newest;
      const auto found = snapshot->tables.find(query.table->name);
      // The query was bound to the table as it was.
      if (found == snapshot->tables.end() || !found->second->refused.empty() ||
          found->second->schema_json != query.table->schema_json ||
          found->second->config_json != query.table->config_json)
        break;
      route = ChooseRoute(snapshot, found->second, pruning, number_);
    }
    return route;
  }

  DispatchRequest RequestOf(const BoundQuery& query, const Route& route) const {
    const EngineOptions& defaults = engine_.options_;
    DispatchRequest request;
    request.query_id = call_.query_id;
    request.stage = &query.plan.leaf;
    request.route = &route;
    request.deadline = Clock::now() + std::chrono::milliseconds(TimeoutMs(query));
    request.encoding = query.options.segment_list_encoding ? query.options.segment_list_encoding
                                                           : defaults.segment_list_encoding;
    request.retry = query.options.retry;
    request.hedge = query.options.hedge.value_or(defaults.hedge);
    request.list_chunk_bytes = defaults.list_chunk_bytes;
    request.result_bytes_max = defaults.result_bytes_max;
    request.channel = [&cluster = engine_.cluster_](const std::string& target) {
      return cluster.channel(target);
    };
    request.newest = [&cluster = engine_.cluster_] { return cluster.snapshot(); };
    request.hedge_delay = &engine_.hedge_delay_;
    request.encode_pool = &engine_.encode_pool_;
    return request;
  }

  QueryEngine& engine_;
  const QueryCall& call_;
  uint64_t number_;
  CancelToken& cancel_;
  QueryResponse response_;
  Stopwatch watch_;
};

QueryResponse QueryEngine::Execute(const QueryCall& given) {
  const Clock::time_point start = Clock::now();
  const uint64_t number = queries_.fetch_add(1);
  QueryCall call = given;
  if (call.query_id.empty()) call.query_id = fmt::format("{}_{}", options_.broker_id, number);
  const auto cancel = call.cancel ? call.cancel : std::make_shared<CancelToken>();
  bool taken;
  {
    const std::lock_guard lock(mutex_);
    taken = !running_.emplace(call.query_id, cancel).second;
  }
  QueryResponse response;
  if (taken) {
    AddException(response, Status::Query(PinotCode::kQueryValidation,
                                         "a query with id '{}' is running already", call.query_id));
  } else {
    response = Run(*this, call, number, *cancel).Answer();
    const std::lock_guard lock(mutex_);
    running_.erase(call.query_id);
  }
  const auto elapsed = Clock::now() - start;
  response.request_id = std::to_string(number);
  response.client_request_id =
      given.query_id.empty() ? std::nullopt : std::optional(given.query_id);
  response.broker_id = options_.broker_id;
  response.time_used_ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  CountMetric("trellis_broker_queries_total", "Queries answered");
  if (!response.exceptions.empty())
    CountMetric("trellis_broker_query_exceptions_total", "Queries answered with an exception");
  ObserveHistogram("trellis_broker_query_seconds", "Time from query text to answer",
                   std::chrono::duration<double>(elapsed).count());
  return response;
}

bool QueryEngine::Cancel(const std::string& query_id) {
  std::shared_ptr<CancelToken> token;
  {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(query_id);
    if (found == running_.end()) return false;
    token = found->second;
  }
  token->Cancel();
  return true;
}

void QueryEngine::CancelAll() {
  std::vector<std::shared_ptr<CancelToken>> tokens;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, token] : running_) tokens.push_back(token);
  }
  for (const auto& token : tokens) token->Cancel();
}

}  // namespace trellis::broker
