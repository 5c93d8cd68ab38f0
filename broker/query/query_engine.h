#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "broker/bind/query_options.h"
#include "broker/cluster/cluster_view.h"
#include "broker/dispatch/dispatcher.h"
#include "broker/query/away_servers.h"
#include "broker/query/query_response.h"

namespace trellis::broker {

struct EngineOptions {
  std::string broker_id = "trellis-broker";
  int64_t timeout_ms = 10'000;  // of a query that names none
  int64_t timeout_ms_max = 3'600'000;
  size_t result_bytes_max = size_t{1} << 30;  // leaf rows one query may gather
  // Of queries that do not say: forces an encoding of segment lists, hedges.
  std::optional<std::string> segment_list_encoding;
  bool hedge = true;
  HedgeDelay::Options hedge_delay;
  size_t list_chunk_bytes = wire::kMessageLimits.list_chunk_bytes;
};

struct QueryCall {
  std::string sql;
  OptionList options;    // of the request: fill what the text leaves open
  std::string query_id;  // chosen by the client; empty = the engine gives one
  // Stops this call, whatever its id; null = only Cancel by id does.
  std::shared_ptr<CancelToken> cancel;
};

// Answers queries: the ten stations in order (query_engine.cc). Thread-safe; Execute blocks its
// thread while servers work.
class QueryEngine {
 public:
  QueryEngine(const ClusterView& cluster, EngineOptions options)
      : cluster_(cluster), options_(std::move(options)), hedge_delay_(options_.hedge_delay) {}

  // Never fails: errors are `exceptions` of the response.
  QueryResponse Execute(const QueryCall& call);
  // Stops a running query by its id; false if none has it.
  bool Cancel(const std::string& query_id);
  // Stops every running query: for a drain that ran out of time.
  void CancelAll();

  const ClusterView& cluster() const { return cluster_; }
  const EngineOptions& options() const { return options_; }

 private:
  class Run;
  const ClusterView& cluster_;
  EngineOptions options_;
  std::atomic<uint64_t> queries_{0};
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<CancelToken>> running_;  // guarded by mutex_
  AwayServers away_;
  HedgeDelay hedge_delay_;
  // On which long segment lists are encoded, so that the servers of a query get theirs in parallel:
  // one set of threads for all queries.
  static constexpr size_t kListsWaitingMax = 256;
  TaskPool encode_pool_{0, kListsWaitingMax};
};

}  // namespace trellis::broker
