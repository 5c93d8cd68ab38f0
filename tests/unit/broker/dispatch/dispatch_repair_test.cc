// Servers that are slow, die, or do not hold what the catalog says: scripted leaves behind the real
// dispatcher. Each segment has ten rows, and each answer must have every row once.
#include <future>

#include "tests/unit/broker/dispatch/scripted_query.h"

namespace trellis::broker {

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
    ScriptedQuery sending(
        {{slow.target(), SegmentNames(0, 10)}, {other.target(), SegmentNames(0, 10)}});
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
  ScriptedQuery sending({{hanging.target(), SegmentNames(0, 10)},
                         {b.target(), SegmentNames(0, 4)},
                         {c.target(), SegmentNames(4, 12)}});
  sending.HedgeAfter(30ms);
  const DispatchOutcome outcome = sending.MustRun();
  CHECK_FALSE(outcome.timed_out);
  CHECK(sending.rows == 120);
  CHECK(outcome.hedges == 1);
  CHECK(outcome.hedges_won == 2);  // two servers share it
  CHECK_FALSE(AnswerOf(outcome, hanging.target()).responded);
}

TEST_CASE("a query of little time is hedged while there is time left") {
  const ScriptedLeaf hanging([](ScriptedCall& call) { call.WaitCancelled(); });
  const ScriptedLeaf replica;
  ScriptedQuery sending(
      {{hanging.target(), SegmentNames(0, 10)}, {replica.target(), SegmentNames(0, 10)}});
  sending.HedgeAfter(60s);
  sending.request.deadline = Clock::now() + 3s;
  const DispatchOutcome outcome = sending.MustRun();
  CHECK_FALSE(outcome.timed_out);
  CHECK(sending.rows == 100);
  CHECK(outcome.hedges == 1);
}

TEST_CASE("nothing is hedged without need, without replicas or when it is switched off") {
  const ScriptedLeaf fast;
  const ScriptedLeaf slow([](ScriptedCall& call) {
    call.Wait(150ms);
    call.Answer();
  });
  const ScriptedLeaf spare;
  SECTION("no replica of all segments") {
    ScriptedQuery sending(
        {{slow.target(), SegmentNames(0, 10)}, {spare.target(), SegmentNames(0, 9)}});
    sending.HedgeAfter(10ms);
    CHECK(sending.MustRun().hedges == 0);
    CHECK(sending.rows == 100);
  }
  SECTION("switched off") {
    ScriptedQuery sending(
        {{slow.target(), SegmentNames(0, 10)}, {spare.target(), SegmentNames(0, 10)}});
    sending.HedgeAfter(10ms);
    sending.request.hedge = false;
    CHECK(sending.MustRun().hedges == 0);
    CHECK(sending.rows == 100);
  }
  SECTION("in time") {
    ScriptedQuery sending(
        {{fast.target(), SegmentNames(0, 10)}, {spare.target(), SegmentNames(0, 10)}});
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
    ScriptedQuery sending(
        {{dying.target(), SegmentNames(0, 10)}, {other.target(), SegmentNames(0, 20)}});
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(sending.rows == 200);
    CHECK(outcome.uncovered.isEmpty());
    CHECK(outcome.retries == 1);
    CHECK(AnswerOf(outcome, dying.target()).status.ok());  // nothing is missing because of it
    CHECK(AnswerOf(outcome, other.target()).attempts == 2);
    CHECK(AnswerOf(outcome, other.target()).segments == 20);
  }
  SECTION("one replica") {
    ScriptedQuery sending(
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
    ScriptedQuery sending(
        {{dying.target(), SegmentNames(0, 10)}, {other.target(), SegmentNames(0, 20)}});
    sending.request.retry = false;
    CHECK(sending.MustRun().uncovered.cardinality() == 10);
    CHECK(sending.rows == 100);
  }
}

TEST_CASE("a replica that is away for a moment takes over when it is back") {
  const ScriptedLeaf dying(
      [](ScriptedCall& call) { call.end = grpc::Status(grpc::StatusCode::UNAVAILABLE, "killed"); });
  const ScriptedLeaf other;
  const auto catalog = [&](bool alive) {
    return std::vector<MadeServer>{
        {dying.target(), SegmentNames(0, 10)},
        {.target = other.target(), .names = SegmentNames(0, 10), .alive = alive}};
  };
  ScriptedQuery sending(catalog(false));
  const auto old = sending.request.route->snapshot;
  const auto later = MakeCatalog(catalog(true));
  const auto back = Clock::now() + 100ms;
  SECTION("it comes back") {
    sending.request.newest = [=] { return Clock::now() < back ? old : later; };
    CHECK(sending.MustRun().uncovered.isEmpty());
    CHECK(sending.rows == 100);
  }
  SECTION("it does not") {
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(outcome.uncovered.cardinality() == 10);
    CHECK_FALSE(outcome.timed_out);
  }
}

TEST_CASE("an answer that ends well but early is no answer") {
  const ScriptedLeaf cut([](ScriptedCall& call) {
    call.Accept();
    call.Count(call.names.size());
  });
  ScriptedQuery sending({{cut.target(), SegmentNames(0, 10)}});
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
  ScriptedQuery sending(
      {{first.target(), SegmentNames(0, 10)}, {second.target(), SegmentNames(0, 10)}});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(sending.rows == 100);
  CHECK(outcome.uncovered.isEmpty());
  CHECK(outcome.retries == 1);
  CHECK(asked.get_future().get() == Names{"segment_000003", "segment_000007"});
}

TEST_CASE("what turns out to be damaged while it is read is asked of another server") {
  const ScriptedLeaf first([](ScriptedCall& call) {
    call.Missing({"segment_000003"});
    call.Broken({"segment_000005", "segment_000007"});
    call.Count(call.names.size() - 3);
    call.Done();
  });
  Roaring asked;
  std::mutex mutex;
  const ScriptedLeaf second([&](ScriptedCall& call) {
    {
      const std::lock_guard lock(mutex);
      for (const std::string& name : call.names)
        asked.add(static_cast<uint32_t>(std::stoul(name.substr(name.size() - 1))));
    }
    call.Answer();
  });
  ScriptedQuery sending(
      {{first.target(), SegmentNames(0, 10)}, {second.target(), SegmentNames(0, 10)}});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(sending.rows == 100);
  CHECK(outcome.uncovered.isEmpty());
  CHECK(asked == Roaring::bitmapOf(3, 3, 5, 7));
  CHECK(AnswerOf(outcome, first.target()).broken.size() == 2);
}

TEST_CASE("no news of the catalog is waited for when what is missing is damaged") {
  for (const bool damaged : {true, false}) {
    CAPTURE(damaged);
    const ScriptedLeaf leaf([=](ScriptedCall& call) {
      damaged ? call.Broken({"segment_000003"}) : call.Missing({"segment_000003"});
      call.Count(call.names.size() - 1);
      call.Done();
    });
    ScriptedQuery sending({{leaf.target(), SegmentNames(0, 10)}});
    const auto snapshot = sending.request.route->snapshot;
    int looks = 0;
    sending.request.newest = [&] {
      ++looks;
      return snapshot;
    };
    const DispatchOutcome outcome = sending.MustRun();
    CHECK(sending.rows == 90);
    CHECK(outcome.uncovered == Roaring::bitmapOf(1, 3));
    CHECK((looks == 1) == damaged);
  }
}

TEST_CASE("a segment that is missing everywhere is named, unless the newest catalog dropped it") {
  const ScriptedLeaf leaf([](ScriptedCall& call) {
    call.Missing({"segment_000003"});
    call.Count(call.names.size() - 1);
    call.Done();
  });
  ScriptedQuery sending({{leaf.target(), SegmentNames(0, 10)}});
  SECTION("it is still in the catalog") {
    const DispatchOutcome outcome = sending.MustRun();
    CHECK_FALSE(outcome.timed_out);
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
    ScriptedQuery sending({{leaf.target(), SegmentNames(0, 10), encodings, true}});
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
  ScriptedQuery sending({{leaf.target(), SegmentNames(0, 10), {"known", "names"}, true}});
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
  ScriptedQuery sending({{first.target(), SegmentNames(0, 10), {"known"}, true},
                         {second.target(), SegmentNames(0, 10)}});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK(sending.rows == 100);
  CHECK(AnswerOf(outcome, second.target()).segments == 2);
}

}  // namespace trellis::broker
