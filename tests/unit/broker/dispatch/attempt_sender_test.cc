#include "broker/dispatch/attempt_sender.h"

#include "tests/unit/broker/dispatch/made_catalog.h"
#include "tests/unit/broker/dispatch/scripted_leaf.h"

namespace trellis::broker {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

AttemptJob JobFor(const std::string& target, std::shared_ptr<rpc::Channel> channel) {
  const Route route = RouteOf(MakeCatalog({{target, SegmentNames(0, 10)}}));
  AttemptJob job;
  job.token = 5;
  job.target = target;
  job.channel = std::move(channel);
  job.table = route.table;
  job.share = route.shares[0];
  job.request.query_id = "q";
  job.request.stage = wire::SharedBytes::Own("stage");
  job.deadline = Clock::now() + 20s;
  job.inbox = std::make_shared<Inbox>();
  return job;
}

// All arrivals until the call is there and has ended, or 20 seconds.
std::vector<Arrival> Arrivals(Inbox& inbox) {
  std::vector<Arrival> all;
  bool there = false;
  bool ended = false;
  for (const auto until = Clock::now() + 20s; !(there && ended) && Clock::now() < until;) {
    for (Arrival& arrival : inbox.Take(until)) {
      there |= std::holds_alternative<std::shared_ptr<rpc::StreamCall>>(arrival.what);
      ended |= std::holds_alternative<Status>(arrival.what);
      all.push_back(std::move(arrival));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("what was sent, each message and the end arrive under the attempt's token") {
  uint64_t token = 0;
  const ScriptedLeaf leaf([&](ScriptedCall& call) {
    token = call.attempt;
    call.Answer();
  });
  const AttemptJob job = JobFor(leaf.target(), rpc::Channel::Create(leaf.target()));
  SendAttempt(job);
  size_t messages = 0;
  size_t sent = 0;
  size_t calls = 0;
  for (const Arrival& arrival : Arrivals(*job.inbox)) {
    CHECK(arrival.attempt == 5);
    messages += std::holds_alternative<wire::SharedBytes>(arrival.what) ? 1 : 0;
    calls += std::holds_alternative<std::shared_ptr<rpc::StreamCall>>(arrival.what) ? 1 : 0;
    if (const auto* s = std::get_if<AttemptSent>(&arrival.what)) {
      ++sent;
      CHECK(s->status.ok());
      CHECK(s->list.names == 10);
      CHECK(s->wire_bytes > 140);
      CHECK(s->encoded_at <= s->sent_at);
    }
  }
  CHECK(token == 5);
  CHECK(sent == 1);
  CHECK(calls == 1);
  CHECK(messages == 3);
}

TEST_CASE("an attempt without a channel, or with a list that cannot be encoded, is not sent") {
  AttemptJob job = JobFor("nowhere:1", nullptr);
  SendAttempt(job);
  auto arrivals = job.inbox->Take(Clock::now() + 20s);
  REQUIRE(arrivals.size() == 1);
  const Status status = std::get<AttemptSent>(arrivals[0].what).status;
  CHECK(status.message().find("nowhere:1") != std::string::npos);
  auto table = std::make_shared<Table>(*job.table);
  table->type = "\xff";
  job.table = table;
  job.share.lists = nullptr;
  SendAttempt(job);
  arrivals = job.inbox->Take(Clock::now() + 20s);
  REQUIRE(arrivals.size() == 1);
  CHECK_FALSE(std::get<AttemptSent>(arrivals[0].what).status.ok());
}

TEST_CASE("nothing is sent for an inbox that is closed") {
  const ScriptedLeaf leaf;
  const AttemptJob job = JobFor(leaf.target(), rpc::Channel::Create(leaf.target()));
  job.inbox->Close();
  SendAttempt(job);
  CHECK(leaf.calls() == 0);
  CHECK(job.inbox->Take(Clock::now()).empty());
}

}  // namespace trellis::broker
