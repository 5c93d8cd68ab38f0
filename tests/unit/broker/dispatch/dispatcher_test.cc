#include "broker/dispatch/dispatcher.h"

#include <future>

#include "tests/unit/broker/in_process_leaf.h"

namespace trellis::broker {
namespace {

using Clock = std::chrono::steady_clock;

// SELECT COUNT(*) FROM rides.
plan::LeafStage CountStage() {
  plan::LeafStage stage;
  stage.table = "rides_OFFLINE";
  stage.shape = plan::QueryShape::kAggregate;
  stage.aggregates = {{"count", {}, {}, {}}};
  return stage;
}

// One dispatch of one stage over the given servers.
class Sending {
 public:
  explicit Sending(const std::vector<ReportedServer>& servers, plan::LeafStage stage = CountStage())
      : cluster_(servers), stage_(std::move(stage)) {
    const auto snapshot = cluster_.snapshot();
    route_ = ChooseRoute(snapshot, snapshot->tables.at("rides_OFFLINE"), nullptr, 0);
    request.query_id = "q";
    request.stage = &stage_;
    request.route = &route_;
    request.deadline = Clock::now() + std::chrono::seconds(20);
    request.channel = [this](const std::string& target) { return cluster_.channel(target); };
  }

  Result<DispatchOutcome> Run() {
    return Dispatch(request, cancel, [this](Block block) {
      blocks.push_back(std::move(block));
      return take_status;
    });
  }
  DispatchOutcome MustRun() {
    auto outcome = Run();
    INFO(outcome.status().message());
    REQUIRE(outcome.ok());
    return std::move(*outcome);
  }
  int64_t Counted() const {
    int64_t count = 0;
    for (const Block& block : blocks) {
      for (size_t row = 0; row < block.rows; ++row) count += block.columns.at(0).Get(row).int64();
    }
    return count;
  }

  FixedCluster& cluster() { return cluster_; }
  std::string_view NameOf(uint32_t id) const { return route_.table->segments->name(id); }
  DispatchRequest request;
  CancelToken cancel;
  std::vector<Block> blocks;
  Status take_status;

 private:
  FixedCluster cluster_;
  plan::LeafStage stage_;
  Route route_;
};

}  // namespace

TEST_CASE("a complete answer hands on its blocks, statistics and bill") {
  const InProcessLeaf leaf;
  Sending sending({RidesAt(leaf.target(), RidesSegments())});
  const DispatchOutcome outcome = sending.MustRun();
  REQUIRE(outcome.servers.size() == 1);
  const ServerAnswer& answer = outcome.servers[0];
  INFO(answer.status.message());
  CHECK(answer.status.ok());
  CHECK(answer.responded);
  CHECK(answer.target == leaf.target());
  CHECK(answer.encoding == "names");
  CHECK(answer.segments == 5);
  CHECK(answer.wire_bytes > static_cast<int64_t>(RidesSegments()[0].size()));
  CHECK(answer.statistics.segments_queried == 5);
  CHECK(outcome.uncovered.isEmpty());
  CHECK(outcome.handed_over_us >= answer.sent_at_us);
  CHECK(sending.Counted() == kRidesRows);
  CHECK_FALSE(outcome.timed_out);
  CHECK_FALSE(outcome.cancelled);
}

TEST_CASE("an encoding that the query names is used for every server") {
  const InProcessLeaf leaf;
  Sending sending({RidesAt(leaf.target(), RidesSegments())});
  // A server without ordinals cannot be told by them.
  for (const auto& [forced, used] :
       {std::pair{"legacy_json", "legacy_json"}, {"packed", "packed"}, {"known", "packed"}}) {
    sending.request.encoding = forced;
    sending.blocks.clear();
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(outcome.servers.at(0).encoding == used);
    CHECK(outcome.servers.at(0).statistics.list_encoding == used);
    CHECK(sending.Counted() == kRidesRows);
  }
}

TEST_CASE("a leaf reads a list in pieces as it reads the whole") {
  const InProcessLeaf leaf;
  ReportedServer report = RidesAt(leaf.target(), RidesSegments());
  report.server.reads_list_chunks = true;
  Sending sending({report});
  for (const char* encoding : {"packed", "names", "legacy_json"}) {
    for (const size_t chunk : {1, 2, 7, 50, 1'003}) {
      sending.request.encoding = encoding;
      sending.request.list_chunk_bytes = chunk;
      sending.blocks.clear();
      const DispatchOutcome outcome = sending.MustRun();
      INFO(encoding << " in pieces of " << chunk);
      CHECK(outcome.uncovered.isEmpty());
      CHECK(sending.Counted() == kRidesRows);
    }
  }
}

TEST_CASE("only the listed segments are asked for, and one that is not there is named") {
  const InProcessLeaf leaf;
  Sending sending({RidesAt(leaf.target(), {RidesSegments()[0], "rides_gone"})});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(outcome.servers.at(0).status.ok());
  REQUIRE(outcome.missing.cardinality() == 1);
  CHECK(sending.NameOf(outcome.missing.minimum()) == "rides_gone");
  CHECK(outcome.uncovered == outcome.missing);
  CHECK(sending.Counted() > 0);
  CHECK(sending.Counted() < kRidesRows);
}

TEST_CASE("a server that is not there fails with 427, and the other's answer stands") {
  const InProcessLeaf leaf;
  const std::string dead = DeadTarget();
  Sending sending(
      {RidesAt(leaf.target(), {RidesSegments()[0]}), RidesAt(dead, {RidesSegments()[1]})});
  const DispatchOutcome outcome = sending.MustRun();
  REQUIRE(outcome.servers.size() == 2);
  const bool first_dead = outcome.servers[0].target == dead;
  const ServerAnswer& failed = outcome.servers[first_dead ? 0 : 1];
  const ServerAnswer& good = outcome.servers[first_dead ? 1 : 0];
  CHECK(failed.target == dead);
  CHECK(failed.status.pinot_code() == PinotCode::kServerNotResponding);
  CHECK_FALSE(failed.responded);
  CHECK(good.status.ok());
  CHECK(sending.Counted() > 0);
}

TEST_CASE("a server that refuses the stage fails, and hands on no block") {
  const InProcessLeaf leaf;
  plan::LeafStage stage = CountStage();
  stage.aggregates[0].function = "nosuchaggregation";
  Sending sending({RidesAt(leaf.target(), RidesSegments())}, stage);
  const DispatchOutcome outcome = sending.MustRun();
  CHECK_FALSE(outcome.servers.at(0).status.ok());
  CHECK(outcome.servers.at(0).status.pinot_code() != PinotCode::kNone);
  CHECK(sending.blocks.empty());
}

TEST_CASE("the deadline ends a server that hangs") {
  const SilentServer silent;
  Sending sending({RidesAt(silent.target(), RidesSegments())});
  sending.request.deadline = Clock::now() + std::chrono::milliseconds(150);
  const DispatchOutcome outcome = sending.MustRun();
  CHECK_FALSE(outcome.cancelled);
  CHECK(outcome.servers.at(0).status.pinot_code() == PinotCode::kServerNotResponding);
  CHECK_FALSE(outcome.servers.at(0).responded);
}

TEST_CASE("Cancel from another thread ends a dispatch at once") {
  const SilentServer silent;
  Sending sending({RidesAt(silent.target(), RidesSegments())});
  std::promise<void> sent;
  sending.cluster().on_channel = [&] { sent.set_value(); };
  std::thread canceller([&] {
    sent.get_future().wait();
    sending.cancel.Cancel();
  });
  const DispatchOutcome outcome = sending.MustRun();
  canceller.join();
  CHECK(outcome.cancelled);
  CHECK_FALSE(outcome.timed_out);
  CHECK(outcome.servers.at(0).status.pinot_code() == PinotCode::kQueryCancelled);
}

TEST_CASE("a query cancelled before it is sent does not wait") {
  const SilentServer silent;
  Sending sending({RidesAt(silent.target(), RidesSegments())});
  sending.cancel.Cancel();
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(outcome.cancelled);
  CHECK_FALSE(outcome.timed_out);
}

TEST_CASE("an error of the taker ends the dispatch with that error") {
  const InProcessLeaf leaf;
  Sending sending({RidesAt(leaf.target(), RidesSegments())});
  sending.take_status = Status::Corrupt("does not fit");
  const auto outcome = sending.Run();
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.status().message() == "does not fit");
}

TEST_CASE("a target without a channel is that server's fault, not the dispatch's") {
  Sending sending({RidesAt("nowhere:1", RidesSegments())});
  sending.request.channel = [](const std::string&) { return nullptr; };
  const DispatchOutcome outcome = sending.MustRun();
  CHECK_FALSE(outcome.servers.at(0).status.ok());
  CHECK(outcome.servers.at(0).status.message().find("nowhere:1") != std::string::npos);
}

}  // namespace trellis::broker
