// What a dispatch does at its limits: long lists, the deadline, a cancel, answers and requests that
// are too large.
#include <future>

#include "tests/unit/broker/dispatch/scripted_query.h"

namespace trellis::broker {

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
    ScriptedQuery sending({{.target = leaf.target(),
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
  ScriptedQuery sending({{leaf.target(), SegmentNames(0, 60)}});
  sending.request.list_chunk_bytes = 10;
  sending.MustRun();
  CHECK(sending.rows == 600);
  CHECK(messages == 1);
}

TEST_CASE("a request over the message limit is not sent, and says so") {
  const ScriptedLeaf leaf;
  Names names = SegmentNames(0, 70'000);
  for (std::string& name : names) name += std::string(960, 'x');
  ScriptedQuery sending({{leaf.target(), names}});
  const DispatchOutcome outcome = sending.MustRun();
  CHECK_FALSE(outcome.timed_out);
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
  ScriptedQuery sending(servers);
  TaskPool pool(2, 256);
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
  ScriptedQuery sending(
      {{hanging.target(), SegmentNames(0, 10)}, {good.target(), SegmentNames(10, 15)}});
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
  ScriptedQuery sending({{slow.target(), SegmentNames(0, 10)},
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
  ScriptedQuery sending({{leaf.target(), SegmentNames(0, 10)}});
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
    ScriptedQuery sending(
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
  ScriptedQuery sending({{leaf.target(), SegmentNames(0, 10)}});
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
  ScriptedQuery sending({{leaf.target(), SegmentNames(0, 10)}});
  int handed_over = 0;
  sending.request.handed_over = [&] { ++handed_over; };
  CHECK(sending.MustRun().uncovered.isEmpty());
  CHECK(handed_over == 1);
}

}  // namespace trellis::broker
