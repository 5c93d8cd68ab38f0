// Servers that are slow, die, or do not hold what the catalog says: scripted leaves behind the real
// dispatcher. Each segment has ten rows, and each answer must have every row once.
#include <future>

#include "broker/dispatch/dispatcher.h"
#include "tests/unit/broker/dispatch/made_catalog.h"
#include "tests/unit/broker/dispatch/scripted_leaf.h"

namespace trellis::broker {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Names = std::vector<std::string>;

class Sending {
 public:
  explicit Sending(const std::vector<MadeServer>& servers)
      : snapshot_(MakeCatalog(servers)), route_(RouteOf(snapshot_)) {
    stage_.table = "t_OFFLINE";
    stage_.shape = plan::QueryShape::kAggregate;
    stage_.aggregates = {{"count", {}, {}, {}}};
    request.query_id = "q";
    request.stage = &stage_;
    request.route = &route_;
    request.deadline = Clock::now() + 20s;
    request.channel = [](const std::string& target) { return rpc::Channel::Create(target); };
    request.newest = [this] { return snapshot_; };
    request.hedge_delay = &hedge_delay;
  }
  Result<DispatchOutcome> Run() {
    return Dispatch(request, cancel, [this](Block block) {
      for (size_t row = 0; row < block.rows; ++row) rows += block.columns.at(0).Get(row).int64();
      return Status::Ok();
    });
  }
  DispatchOutcome MustRun() {
    auto outcome = Run();
    INFO(outcome.status().message());
    REQUIRE(outcome.ok());
    return std::move(*outcome);
  }
  // Slow from the first millisecond on.
  void HedgeAfter(std::chrono::milliseconds delay) {
    request.hedge_delay = nullptr;
    hedging.emplace(HedgeDelay::Options{.delay_min = delay, .delay_max = delay});
    request.hedge_delay = &*hedging;
  }

  HedgeDelay hedge_delay;
  std::optional<HedgeDelay> hedging;
  DispatchRequest request;
  CancelToken cancel;
  int64_t rows = 0;

 private:
  std::shared_ptr<const CatalogSnapshot> snapshot_;
  plan::LeafStage stage_;
  Route route_;
};

const ServerAnswer& AnswerOf(const DispatchOutcome& outcome, const std::string& target) {
  for (const ServerAnswer& answer : outcome.servers) {
    if (answer.target == target) return answer;
  }
  FAIL("no answer of " + target);
  std::abort();
}

}  // namespace

TEST_CASE("an attempt and its hedge that both answer count once") {
  // The original answers while the hedge runs, or after it; or the hedge never does.
  for (const auto& [slow_ms, hedge_ms] : {std::pair{120, 120}, {400, 0}, {120, 15'000}}) {
    const ScriptedLeaf slow([ms = slow_ms](ScriptedCall& call) {
      call.Accept();
      call.Count(call.names.size());
      call.Wait(std::chrono::milliseconds(ms));
      call.Done();
      call.Done();
    });
    const ScriptedLeaf other([ms = hedge_ms](ScriptedCall& call) {
      call.Wait(std::chrono::milliseconds(ms));
      call.Answer();
    });
    Sending sending({{slow.target(), SegmentNames(0, 10)}, {other.target(), SegmentNames(0, 10)}});
    sending.HedgeAfter(30ms);
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(sending.rows == 100);
    CHECK(outcome.uncovered.isEmpty());
    CHECK(outcome.hedges == 1);
    CHECK(outcome.retries == 0);
    CHECK(other.calls() == 1);
    CHECK(AnswerOf(outcome, slow.target()).status.ok());
    if (hedge_ms == 0) CHECK(outcome.hedges_won == 1);
    if (hedge_ms > 1'000) CHECK(outcome.hedges_won == 0);
  }
}

TEST_CASE("a server that hangs costs the hedge delay, not the deadline") {
  const ScriptedLeaf hanging([](ScriptedCall& call) { call.WaitCancelled(); });
  const ScriptedLeaf b;
  const ScriptedLeaf c;
  Sending sending({{hanging.target(), SegmentNames(0, 10)},
                   {b.target(), SegmentNames(0, 4)},
                   {c.target(), SegmentNames(4, 12)}});
  sending.HedgeAfter(30ms);
  const auto start = Clock::now();
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(Clock::now() - start < 5s);
  CHECK(sending.rows == 120);
  CHECK(outcome.hedges == 1);
  CHECK(outcome.hedges_won == 2);  // two servers share it
  CHECK_FALSE(AnswerOf(outcome, hanging.target()).responded);
}

TEST_CASE("nothing is hedged without need, without replicas or when it is switched off") {
  const ScriptedLeaf fast;
  const ScriptedLeaf slow([](ScriptedCall& call) {
    call.Wait(150ms);
    call.Answer();
  });
  const ScriptedLeaf spare;
  SECTION("no replica of all segments") {
    Sending sending({{slow.target(), SegmentNames(0, 10)}, {spare.target(), SegmentNames(0, 9)}});
    sending.HedgeAfter(10ms);
    CHECK(sending.MustRun().hedges == 0);
    CHECK(sending.rows == 100);
  }
  SECTION("switched off") {
    Sending sending({{slow.target(), SegmentNames(0, 10)}, {spare.target(), SegmentNames(0, 10)}});
    sending.HedgeAfter(10ms);
    sending.request.hedge = false;
    CHECK(sending.MustRun().hedges == 0);
    CHECK(sending.rows == 100);
  }
  SECTION("in time") {
    Sending sending({{fast.target(), SegmentNames(0, 10)}, {spare.target(), SegmentNames(0, 10)}});
    sending.HedgeAfter(10s);
    CHECK(sending.MustRun().hedges == 0);
    CHECK(sending.rows == 100);
  }
  CHECK(spare.calls() == 0);
}

TEST_CASE("a server that dies after its first block counts for nothing; a replica takes over") {
  const ScriptedLeaf dying([](ScriptedCall& call) {
    call.Accept();
    call.Count(call.names.size());
    call.end = grpc::Status(grpc::StatusCode::UNAVAILABLE, "killed");
  });
  const ScriptedLeaf other;
  SECTION("two replicas") {
    Sending sending({{dying.target(), SegmentNames(0, 10)}, {other.target(), SegmentNames(0, 20)}});
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(sending.rows == 200);
    CHECK(outcome.uncovered.isEmpty());
    CHECK(outcome.retries == 1);
    CHECK(AnswerOf(outcome, dying.target()).status.ok());  // nothing is missing because of it
    CHECK(AnswerOf(outcome, other.target()).attempts == 2);
    CHECK(AnswerOf(outcome, other.target()).segments == 20);
  }
  SECTION("one replica") {
    Sending sending(
        {{dying.target(), SegmentNames(0, 10)}, {other.target(), SegmentNames(10, 20)}});
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(sending.rows == 100);
    CHECK(outcome.uncovered.cardinality() == 10);
    CHECK(outcome.uncovered.contains(9));
    CHECK(outcome.missing.isEmpty());
    const ServerAnswer& answer = AnswerOf(outcome, dying.target());
    CHECK(answer.status.pinot_code() == PinotCode::kServerNotResponding);
    CHECK(answer.statistics.segments_queried == 0);
    CHECK(AnswerOf(outcome, other.target()).status.ok());
  }
  SECTION("two replicas, but no retries") {
    Sending sending({{dying.target(), SegmentNames(0, 10)}, {other.target(), SegmentNames(0, 20)}});
    sending.request.retry = false;
    CHECK(sending.MustRun().uncovered.cardinality() == 10);
    CHECK(sending.rows == 100);
  }
}

TEST_CASE("an answer that ends well but early is no answer") {
  const ScriptedLeaf cut([](ScriptedCall& call) {
    call.Accept();
    call.Count(call.names.size());
  });
  Sending sending({{cut.target(), SegmentNames(0, 10)}});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(sending.rows == 0);
  CHECK(outcome.uncovered.cardinality() == 10);
  CHECK(outcome.servers.at(0).status.message().find("cut short") != std::string::npos);
}

TEST_CASE("what a server no longer holds is asked of another one beside its answer") {
  const ScriptedLeaf first([](ScriptedCall& call) {
    call.Missing({"segment_000003", "segment_000007"});
    call.Count(call.names.size() - 2);
    call.Done();
  });
  std::promise<Names> asked;
  const ScriptedLeaf second([&](ScriptedCall& call) {
    asked.set_value(call.names);
    call.Answer();
  });
  Sending sending({{first.target(), SegmentNames(0, 10)}, {second.target(), SegmentNames(0, 10)}});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(sending.rows == 100);
  CHECK(outcome.uncovered.isEmpty());
  CHECK(outcome.retries == 1);
  CHECK(asked.get_future().get() == Names{"segment_000003", "segment_000007"});
}

TEST_CASE("a segment that is missing everywhere is named, unless the newest catalog dropped it") {
  const ScriptedLeaf leaf([](ScriptedCall& call) {
    call.Missing({"segment_000003"});
    call.Count(call.names.size() - 1);
    call.Done();
  });
  Sending sending({{leaf.target(), SegmentNames(0, 10)}});
  SECTION("it is still in the catalog") {
    const auto start = Clock::now();
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(Clock::now() - start < 5s);
    CHECK(sending.rows == 90);
    CHECK(outcome.uncovered == Roaring::bitmapOf(1, 3));
    CHECK(outcome.missing == Roaring::bitmapOf(1, 3));
    CHECK(outcome.dropped.isEmpty());
    CHECK(outcome.servers.at(0).status.ok());
  }
  SECTION("the news that it was dropped comes a little later") {
    Names left = SegmentNames(0, 10);
    left.erase(left.begin() + 3);
    const auto later = MakeCatalog({{leaf.target(), left}});
    const auto old = sending.request.route->snapshot;
    const auto news = Clock::now() + 60ms;
    sending.request.newest = [=] { return Clock::now() < news ? old : later; };
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(sending.rows == 90);
    CHECK(outcome.uncovered.isEmpty());
    CHECK(outcome.dropped == Roaring::bitmapOf(1, 3));
  }
  SECTION("the news says who has it now") {
    const ScriptedLeaf new_home;
    const auto later = MakeCatalog({{new_home.target(), {"segment_000003"}}});
    const auto old = sending.request.route->snapshot;
    const auto news = Clock::now() + 60ms;
    sending.request.newest = [=] { return Clock::now() < news ? old : later; };
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(sending.rows == 100);
    CHECK(outcome.uncovered.isEmpty());
    CHECK(outcome.dropped.isEmpty());
  }
}

TEST_CASE("a list that the server calls stale is sent there again, by names") {
  const auto script = [](ScriptedCall& call) {
    if (call.encoding != wire::SegmentListEncoding::kKnown) return call.Answer();
    wire::LeafAccepted stale;
    stale.stale = true;
    call.Accept(stale);
    call.Done(Status(StatusCode::kFailedPrecondition, "another incarnation"));
  };
  for (const auto& [encodings, expected] :
       {std::pair<Names, std::string>{{"known", "packed", "names"}, "packed"},
        {{"known"}, "names"}}) {
    const ScriptedLeaf leaf(script);
    Sending sending({{leaf.target(), SegmentNames(0, 10), encodings, true}});
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(sending.rows == 100);
    CHECK(outcome.uncovered.isEmpty());
    CHECK(outcome.stale_lists == 1);
    CHECK(leaf.calls() == 2);
    const ServerAnswer& answer = outcome.servers.at(0);
    CHECK(answer.status.ok());
    CHECK(answer.encoding == expected);
    CHECK(answer.attempts == 2);
    CHECK(answer.segments == 10);
    CHECK(answer.names_sent == 10);
    // The list by ordinals is still the snapshot's.
    const auto& lists = sending.request.route->shares[0].lists;
    CHECK(lists->bytes[static_cast<size_t>(wire::SegmentListEncoding::kKnown)] != nullptr);
  }
}

TEST_CASE("a server that calls every list stale fails, once") {
  const ScriptedLeaf leaf([](ScriptedCall& call) {
    wire::LeafAccepted stale;
    stale.stale = true;
    call.Accept(stale);
    call.Done(Status(StatusCode::kFailedPrecondition, "another incarnation"));
  });
  Sending sending({{leaf.target(), SegmentNames(0, 10), {"known", "names"}, true}});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(leaf.calls() == 2);
  CHECK(outcome.uncovered.cardinality() == 10);
  CHECK_FALSE(outcome.servers.at(0).status.ok());
}

TEST_CASE("ordinals that the server has dropped are asked of another one") {
  const ScriptedLeaf first([](ScriptedCall& call) {
    wire::LeafAccepted accepted;
    accepted.missing_ordinals = Roaring::bitmapOf(2, 101, 102);
    call.Accept(accepted);
    call.Count(8);
    call.Done();
  });
  const ScriptedLeaf second;
  Sending sending({{first.target(), SegmentNames(0, 10), {"known"}, true},
                   {second.target(), SegmentNames(0, 10)}});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(sending.rows == 100);
  CHECK(AnswerOf(outcome, second.target()).segments == 2);
}

TEST_CASE("a long list comes whole, whatever pieces it is cut into") {
  size_t messages = 0;
  size_t longest = 0;
  const ScriptedLeaf leaf([&](ScriptedCall& call) {
    messages = call.messages;
    longest = call.longest_message_bytes;
    call.Answer();
  });
  const auto channel = rpc::Channel::Create(leaf.target());
  for (size_t chunk = 1; chunk <= 1'003; ++chunk) {
    Sending sending({{.target = leaf.target(),
                      .names = SegmentNames(0, 60),
                      .encodings = {"names"},
                      .reads_list_chunks = true}});
    sending.request.channel = [&](const std::string&) { return channel; };
    sending.request.list_chunk_bytes = chunk;
    const DispatchOutcome outcome = sending.MustRun();
    INFO("pieces of " << chunk);
    REQUIRE(sending.rows == 600);
    CHECK(messages >= 60 * 14 / chunk);
    CHECK(messages <= 60 * 20 / chunk + 1);
    CHECK(longest < chunk + 300);
    CHECK(outcome.servers.at(0).wire_bytes >= 60 * 14);
  }
  // A server that does not read pieces gets the whole.
  Sending sending({{leaf.target(), SegmentNames(0, 60)}});
  sending.request.list_chunk_bytes = 10;
  sending.MustRun();
  CHECK(sending.rows == 600);
  CHECK(messages == 1);
}

TEST_CASE("a request over the message limit is not sent, and says so quickly") {
  const ScriptedLeaf leaf;
  Names names = SegmentNames(0, 70'000);
  for (std::string& name : names) name += std::string(960, 'x');
  Sending sending({{leaf.target(), names}});
  const auto start = Clock::now();
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(Clock::now() - start < 1s);
  CHECK(leaf.calls() == 0);
  CHECK(outcome.uncovered.cardinality() == 70'000);
  const Status& status = outcome.servers.at(0).status;
  CHECK(status.code() == StatusCode::kResourceExhausted);
  CHECK(status.pinot_code() == PinotCode::kBrokerRequestSend);
  INFO(status.message());
  CHECK(status.message().find(std::to_string(wire::kMessageLimits.message_bytes_max)) !=
        std::string::npos);
}

TEST_CASE("the first request leaves before the last list is encoded") {
  std::vector<std::unique_ptr<ScriptedLeaf>> leaves;
  std::vector<MadeServer> servers;
  for (int i = 0; i < 8; ++i) {
    leaves.push_back(std::make_unique<ScriptedLeaf>());
    servers.push_back({leaves.back()->target(), SegmentNames(i * 10'000, (i + 1) * 10'000)});
  }
  Sending sending(servers);
  EncodePool pool(2);
  sending.request.encode_pool = &pool;
  const DispatchOutcome outcome = sending.MustRun();
  for (const ServerAnswer& answer : outcome.servers) {
    INFO(answer.target << ": " << answer.status.message());
    CHECK(answer.status.ok());
  }
  CHECK(sending.rows == 800'000);
  int64_t first_sent = INT64_MAX;
  int64_t last_encoded = 0;
  int64_t last_sent = 0;
  for (const ServerAnswer& answer : outcome.servers) {
    CHECK(answer.encoded_at_us <= answer.sent_at_us);
    CHECK_FALSE(answer.cache_hit);
    first_sent = std::min(first_sent, answer.sent_at_us);
    last_encoded = std::max(last_encoded, answer.encoded_at_us);
    last_sent = std::max(last_sent, answer.sent_at_us);
  }
  CHECK(first_sent < last_encoded);
  CHECK(outcome.handed_over_us == last_sent);
  sending.rows = 0;
  for (const ServerAnswer& answer : sending.MustRun().servers) CHECK(answer.cache_hit);
  CHECK(sending.rows == 800'000);
}

TEST_CASE("the deadline leaves what was answered, and names who was not heard of") {
  const ScriptedLeaf hanging([](ScriptedCall& call) {
    call.Accept();
    call.Count(call.names.size());
    call.WaitCancelled();
  });
  const ScriptedLeaf good;
  Sending sending({{hanging.target(), SegmentNames(0, 10)}, {good.target(), SegmentNames(10, 15)}});
  sending.request.deadline = Clock::now() + 300ms;
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(outcome.timed_out);
  CHECK(sending.rows == 50);
  CHECK(outcome.uncovered.cardinality() == 10);
  CHECK(AnswerOf(outcome, hanging.target()).status.pinot_code() == PinotCode::kServerNotResponding);
  CHECK(AnswerOf(outcome, good.target()).status.ok());
}

TEST_CASE("at the deadline the alternative that covers more counts") {
  const ScriptedLeaf slow([](ScriptedCall& call) { call.WaitCancelled(); });
  const ScriptedLeaf quick;
  const ScriptedLeaf also_slow([](ScriptedCall& call) { call.WaitCancelled(); });
  Sending sending({{slow.target(), SegmentNames(0, 10)},
                   {quick.target(), SegmentNames(0, 6)},
                   {also_slow.target(), SegmentNames(6, 10)}});
  sending.HedgeAfter(20ms);
  sending.request.deadline = Clock::now() + 400ms;
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(outcome.timed_out);
  CHECK(sending.rows == 60);
  CHECK(outcome.uncovered.cardinality() == 4);
}

TEST_CASE("a cancelled dispatch cancels its servers' work") {
  std::promise<void> running;
  std::promise<bool> cancelled;
  const ScriptedLeaf leaf([&](ScriptedCall& call) {
    running.set_value();
    cancelled.set_value(call.WaitCancelled());
  });
  Sending sending({{leaf.target(), SegmentNames(0, 10)}});
  std::thread canceller([&] {
    running.get_future().wait();
    sending.cancel.Cancel();
  });
  const DispatchOutcome outcome = sending.MustRun();
  canceller.join();
  CHECK(outcome.cancelled);
  CHECK(outcome.uncovered.cardinality() == 10);
  CHECK(outcome.servers.at(0).status.pinot_code() == PinotCode::kQueryCancelled);
  CHECK(cancelled.get_future().get());
}

TEST_CASE("a fault of the query is not tried elsewhere, one of the server is") {
  for (const bool of_query : {true, false}) {
    const ScriptedLeaf first([&](ScriptedCall& call) {
      call.Accept();
      call.Done(of_query ? Status::InvalidArgument("'x' is no number")
                         : Status::Corrupt("chunk 3: bad checksum"));
    });
    const ScriptedLeaf second;
    Sending sending(
        {{first.target(), SegmentNames(0, 10)}, {second.target(), SegmentNames(0, 10)}});
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(second.calls() == (of_query ? 0 : 1));
    CHECK(sending.rows == (of_query ? 0 : 100));
    CHECK(outcome.uncovered.isEmpty() == !of_query);
    if (of_query) CHECK(outcome.servers.at(0).status.pinot_code() == PinotCode::kQueryExecution);
  }
}

TEST_CASE("answers over the limit end the query") {
  const ScriptedLeaf leaf;
  Sending sending({{leaf.target(), SegmentNames(0, 10)}});
  sending.request.result_bytes_max = 20;
  const auto outcome = sending.Run();
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.status().code() == StatusCode::kResourceExhausted);
  CHECK(outcome.status().message().find("20 bytes") != std::string::npos);
}

TEST_CASE("bytes that are no message are that server's fault") {
  const ScriptedLeaf leaf([](ScriptedCall& call) {
    call.Accept();
    call.Accept();  // twice: harmless
    call.Done();
    call.Done();
  });
  Sending sending({{leaf.target(), SegmentNames(0, 10)}});
  CHECK(sending.MustRun().uncovered.isEmpty());
}

}  // namespace trellis::broker
