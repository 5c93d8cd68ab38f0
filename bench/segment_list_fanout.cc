// What does it cost the broker to hand a query and its segment lists to all servers? From the plan
// being ready to the last request being handed to gRPC (manual time), as the dispatcher itself
// reports it; CPU is the whole process's, servers' and gRPC's threads included. The servers are
// real gRPC servers on the loopback, in this process, that answer at once. Physical bound: `empty`,
// the same calls with lists of no segment.
#include "bench/segment_list_fanout.h"

#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>

#include <atomic>

#include "bench/segment_names.h"
#include "broker/dispatch/dispatcher.h"
#include "common/rpc/byte_buffer.h"
#include "common/rpc/server_runner.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/leaf.grpc.pb.h"

namespace trellis::bench {
namespace {

constexpr char kTable[] = "events_OFFLINE";
constexpr char kSchema[] =
    R"({"schemaName": "events", "dimensionFieldSpecs": [{"name": "kind", "dataType": "STRING"}]})";
constexpr auto kTimeout = std::chrono::seconds(60);

// Answers every request with `done`. While `counting`, decodes the list and counts its names.
class InstantLeaf final
    : public v1::LeafService::WithRawCallbackMethod_Execute<v1::LeafService::Service> {
 public:
  std::atomic<bool> counting{false};
  std::atomic<size_t> names{0};

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Execute(
      grpc::CallbackServerContext*) override {
    return new Answer(*this);
  }

 private:
  class Answer : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
   public:
    explicit Answer(InstantLeaf& leaf) : leaf_(leaf) { StartRead(&request_); }
    void OnReadDone(bool ok) override {
      if (!ok || answered_) return;
      answered_ = true;
      if (leaf_.counting.load()) leaf_.names += NamesIn(request_);
      answer_ = rpc::ToByteBuffer(wire::EncodeLeafDone({}));
      StartWriteAndFinish(&answer_, grpc::WriteOptions(), grpc::Status::OK);
    }
    void OnDone() override { delete this; }

   private:
    static size_t NamesIn(const grpc::ByteBuffer& request) {
      const auto bytes = rpc::FromByteBuffer(request);
      TRELLIS_CHECK(bytes.ok());
      const auto message = wire::DecodeLeafRequest(*bytes);
      TRELLIS_CHECK(message.ok() && message->segments);
      const auto list = wire::DecodeSegmentLists(message->segments->view);
      TRELLIS_CHECK(list.ok());
      return list->names_total();
    }

    InstantLeaf& leaf_;
    grpc::ByteBuffer request_;
    grpc::ByteBuffer answer_;
    bool answered_ = false;
  };
};

// Running servers, connected channels and the route over them. Segment i is on server i % servers.
class Fleet {
 public:
  Fleet(size_t servers, size_t count) : leaves_(servers) {
    const std::vector<std::string> names = SegmentNames("offline", count);
    std::vector<broker::ReportedServer> reports(servers);
    for (size_t i = 0; i < servers; ++i) {
      auto runner = rpc::ServerRunner::Start({"127.0.0.1", 0}, {&leaves_[i]});
      TRELLIS_CHECK(runner.ok());
      runners_.push_back(std::move(*runner));
      const std::string target = runners_[i]->address();
      channels_[target] = rpc::Channel::Create(target);
      TRELLIS_CHECK(channels_[target]->WaitConnected(kTimeout).ok());
      reports[i].server = {target, true, true, {"names", "legacy_json"}, "bench"};
      broker::ReportedTable table{kTable, kSchema, "", "", {}};
      for (size_t k = i; k < count; k += servers)
        table.segments.push_back({names[k], 1, {}, {}, ""});
      reports[i].tables.push_back(std::move(table));
    }
    const auto snapshot = broker::BuildCatalog(reports);
    const auto table = snapshot->FindTable(kTable);
    TRELLIS_CHECK(table.ok());
    route_ = broker::ChooseRoute(snapshot, *table, 0);
    TRELLIS_CHECK(route_.segments_routed == count && route_.assignment->shares.size() == servers);
    for (uint32_t i = 0; i < servers; ++i) no_segments_.shares.push_back({i, {}});
    stage_.table = kTable;
    stage_.shape = plan::QueryShape::kAggregate;
    stage_.aggregates.push_back({.function = "count"});
  }

  // `encoding`: "names", "legacy_json", or "empty" for lists without segments.
  broker::DispatchOutcome Send(const std::string& encoding) {
    broker::Route route = route_;
    if (encoding == "empty") route.assignment = &no_segments_;
    broker::DispatchRequest request;
    request.query_id = "fanout";
    request.stage = &stage_;
    request.route = &route;
    request.deadline = std::chrono::steady_clock::now() + kTimeout;
    request.encoding = encoding == "empty" ? "names" : encoding;
    request.channel = [this](const std::string& target) { return channels_.at(target); };
    broker::CancelToken cancel;
    auto outcome = broker::Dispatch(request, cancel, [](Block) { return Status::Ok(); });
    TRELLIS_CHECK(outcome.ok());
    for (const broker::ServerAnswer& answer : outcome->servers)
      TRELLIS_CHECK(answer.responded && answer.status.ok());
    return std::move(*outcome);
  }

  // Names that all servers together found in the lists of one query.
  size_t NamesReceived(const std::string& encoding) {
    for (InstantLeaf& leaf : leaves_) leaf.counting = true;
    Send(encoding);
    size_t total = 0;
    for (InstantLeaf& leaf : leaves_) {
      leaf.counting = false;
      total += leaf.names.exchange(0);
    }
    return total;
  }

 private:
  std::vector<InstantLeaf> leaves_;
  std::vector<std::unique_ptr<rpc::ServerRunner>> runners_;
  std::map<std::string, std::shared_ptr<rpc::Channel>> channels_;
  broker::Route route_;
  broker::Assignment no_segments_;
  plan::LeafStage stage_;
};

void Fanout(benchmark::State& state, const std::string& encoding, size_t servers, size_t count) {
  Fleet fleet(servers, count);
  TRELLIS_CHECK(fleet.NamesReceived(encoding) == (encoding == "empty" ? 0 : count));
  int64_t wire_bytes = 0;
  for (auto _ : state) {
    const broker::DispatchOutcome outcome = fleet.Send(encoding);
    state.SetIterationTime(static_cast<double>(outcome.handed_over_us) / 1e6);
    wire_bytes = 0;
    for (const broker::ServerAnswer& answer : outcome.servers) wire_bytes += answer.wire_bytes;
  }
  state.counters["wire_bytes"] = static_cast<double>(wire_bytes);
}

}  // namespace

void RegisterFanouts(size_t count) {
  for (const size_t servers : {1, 3, 30}) {
    for (const std::string encoding : {"empty", "names", "legacy_json"}) {
      const std::string name = fmt::format("Fanout/{}/{}/{}", encoding, servers, count);
      benchmark::RegisterBenchmark(
          name.c_str(), [=](benchmark::State& state) { Fanout(state, encoding, servers, count); })
          ->Unit(benchmark::kMicrosecond)
          ->UseManualTime()
          ->MeasureProcessCPUTime();
    }
  }
}

}  // namespace trellis::bench
