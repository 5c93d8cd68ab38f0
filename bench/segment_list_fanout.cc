// What does it cost the broker to hand a query and its segment lists to all servers? From the plan
// being ready to the last request being handed to gRPC (manual time), as the dispatcher itself
// reports it; CPU is this process's, the broker's, over the same stretch, gRPC's threads included.
// The servers are real gRPC servers on the loopback, in a process of their own, that
// answer at once (fanout_leaves.cc). Physical bound: `empty`, the same calls with lists of no
// segment.
#include "bench/segment_list_fanout.h"

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <random>

#include "bench/announced_table.h"
#include "bench/fanout_leaves.h"
#include "bench/segment_names.h"
#include "broker/dispatch/dispatcher.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/segment_list.pb.h"

namespace trellis::bench {
namespace {

constexpr auto kTimeout = std::chrono::seconds(60);

// What Pinot does for each server of each query: a JSON tree of the names, dumped to text.
std::shared_ptr<const std::string> JsonTreeList(const broker::Table& table, const Roaring& ids) {
  nlohmann::json names = nlohmann::json::array();
  for (const uint32_t id : ids) names.push_back(std::string(table.segments->name(id)));
  v1::SegmentLists list;
  list.set_legacy_json(nlohmann::json{{table.type, std::move(names)}}.dump());
  return std::make_shared<const std::string>(list.SerializeAsString());
}

// Running servers, connected channels and the route over them. Segment i is on server i % servers.
class Fleet {
 public:
  Fleet(size_t servers, size_t count) : leaves_(servers) {
    for (const std::string& target : leaves_.targets()) {
      channels_[target] = rpc::Channel::Create(target);
      TRELLIS_CHECK(channels_[target]->WaitConnected(kTimeout).ok());
    }
    const auto snapshot = AnnouncedCatalog(SegmentNames("offline", count), leaves_.targets());
    const auto table = snapshot->FindTable(kAnnouncedTable);
    TRELLIS_CHECK(table.ok());
    route_ = broker::ChooseRoute(snapshot, *table, nullptr, 0);
    TRELLIS_CHECK(route_.segments_routed == count && route_.shares.size() == servers);
    std::mt19937_64 random(kSeed);
    for (broker::RoutedShare& share : route_.shares) {
      Roaring half;
      for (const uint32_t id : *share.ids) {
        if (random() & 1) half.add(id);
      }
      halves_.push_back(std::make_shared<const Roaring>(std::move(half)));
    }
    stage_.table = kAnnouncedTable;
    stage_.shape = plan::QueryShape::kAggregate;
    stage_.aggregates.push_back({.function = "count"});
  }

  // What each server is sent: `empty` a list of no segment; `known` all it holds, encoded for an
  // earlier query; `known_half` a random half of it, encoded now, as after pruning; `packed` and
  // `names` all of it, encoded now; `json` all of it as a JSON tree, built and dumped now. The
  // outcome's time includes building the JSON.
  broker::DispatchOutcome Send(const std::string& encoding, const char* query_id = "fanout",
                               std::function<void()> handed_over = {}) {
    broker::Route route = route_;
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < route.shares.size(); ++i) {
      broker::RoutedShare& share = route.shares[i];
      if (encoding == "empty") Replace(share, nothing_);
      if (encoding == "known_half") Replace(share, halves_[i]);
      if (encoding == "packed" || encoding == "names") Replace(share, share.ids);
      if (encoding == "json") {
        share.lists = std::make_shared<broker::ListCache>();
        share.lists->bytes[static_cast<size_t>(wire::SegmentListEncoding::kLegacyJson)] =
            JsonTreeList(*route.table, *share.ids);
      }
    }
    const auto built = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - start);
    broker::DispatchRequest request;
    request.query_id = query_id;
    request.encode_pool = &encode_pool_;
    request.handed_over = std::move(handed_over);
    request.stage = &stage_;
    request.route = &route;
    request.deadline = std::chrono::steady_clock::now() + kTimeout;
    request.hedge = false;
    request.list_chunk_bytes = wire::kMessageLimits.message_bytes_max;  // leaves read one message
    if (encoding == "json") request.encoding = "legacy_json";
    if (encoding == "packed" || encoding == "names") request.encoding = encoding;
    request.channel = [this](const std::string& target) { return channels_.at(target); };
    broker::CancelToken cancel;
    auto outcome = broker::Dispatch(request, cancel, [](Block) { return Status::Ok(); });
    TRELLIS_CHECK(outcome.ok() && outcome->uncovered.isEmpty());
    outcome->handed_over_us += built.count();
    return std::move(*outcome);
  }

  // Segments that all servers together found in the lists of one query.
  uint64_t SegmentsReceived(const std::string& encoding) {
    int64_t total = 0;
    for (const broker::ServerAnswer& answer : Send(encoding, kCountingQuery).servers)
      total += answer.statistics.segments_queried;
    return static_cast<uint64_t>(total);
  }
  uint64_t SegmentsSent(const std::string& encoding) const {
    uint64_t total = 0;
    for (size_t i = 0; i < halves_.size(); ++i) {
      if (encoding == "known_half")
        total += halves_[i]->cardinality();
      else if (encoding != "empty")
        total += route_.shares[i].count;
    }
    return total;
  }

 private:
  static void Replace(broker::RoutedShare& share, std::shared_ptr<const Roaring> ids) {
    share.ids = std::move(ids);
    share.count = share.ids->cardinality();
    share.lists = nullptr;
  }

  LeafProcess leaves_;
  TaskPool encode_pool_{0, 256};
  std::map<std::string, std::shared_ptr<rpc::Channel>> channels_;
  broker::Route route_;
  std::vector<std::shared_ptr<const Roaring>> halves_;
  std::shared_ptr<const Roaring> nothing_ = std::make_shared<const Roaring>();
  plan::LeafStage stage_;
};

void Fanout(benchmark::State& state, const std::string& encoding, size_t servers, size_t count) {
  Fleet fleet(servers, count);
  TRELLIS_CHECK(fleet.SegmentsReceived(encoding) == fleet.SegmentsSent(encoding));
  int64_t wire_bytes = 0;
  int64_t first_sent_us = 0;
  int64_t last_encoded_us = 0;
  for (auto _ : state) {
    const broker::DispatchOutcome outcome =
        fleet.Send(encoding, "fanout", [&state] { state.PauseTiming(); });
    state.ResumeTiming();
    state.SetIterationTime(static_cast<double>(outcome.handed_over_us) / 1e6);
    wire_bytes = 0;
    first_sent_us = INT64_MAX;
    last_encoded_us = 0;
    for (const broker::ServerAnswer& answer : outcome.servers) {
      wire_bytes += answer.wire_bytes;
      first_sent_us = std::min(first_sent_us, answer.sent_at_us);
      last_encoded_us = std::max(last_encoded_us, answer.encoded_at_us);
    }
  }
  state.counters["wire_bytes"] = static_cast<double>(wire_bytes);
  state.counters["first_sent_us"] = static_cast<double>(first_sent_us);
  state.counters["last_encoded_us"] = static_cast<double>(last_encoded_us);
}

void RegisterFanout(const std::string& encoding, size_t servers, size_t count) {
  const std::string name = fmt::format("Fanout/{}/{}/{}", encoding, servers, count);
  benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { Fanout(state, encoding, servers, count); })
      ->Unit(benchmark::kMicrosecond)
      ->UseManualTime()
      ->MeasureProcessCPUTime();
}

}  // namespace

void RegisterFanouts(size_t count) {
  for (const std::string encoding : {"empty", "known", "known_half", "packed", "names", "json"}) {
    for (const size_t servers : {1, 3, 30}) RegisterFanout(encoding, servers, count);
    if (count == 60'000) RegisterFanout(encoding, 100, 10 * count);
  }
}

}  // namespace trellis::bench
