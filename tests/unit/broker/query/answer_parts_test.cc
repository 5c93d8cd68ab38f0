#include "broker/query/answer_parts.h"

#include <catch2/catch.hpp>

#include "tests/unit/broker/dispatch/made_catalog.h"

namespace trellis::broker {
namespace {

ServerAnswer Answer(std::string target, Status status = {}) {
  ServerAnswer answer;
  answer.target = std::move(target);
  answer.responded = status.ok();
  answer.status = std::move(status);
  return answer;
}

// Twenty segments of t_OFFLINE.
Route Twenty() { return RouteOf(MakeCatalog({{"a", SegmentNames(0, 20)}})); }

Roaring Ids(uint32_t from, uint32_t to) {
  Roaring ids;
  ids.addRange(from, to);
  return ids;
}

Status Fault(PinotCode code) { return Status(StatusCode::kInternal, "it broke", code); }

}  // namespace

TEST_CASE("a second exception with the same code is dropped") {
  QueryResponse response;
  AddException(response, Status::Query(PinotCode::kServerNotResponding, "first"));
  AddException(response, Status::Query(PinotCode::kServerNotResponding, "second"));
  AddException(response, Status::Internal("third"));
  REQUIRE(response.exceptions.size() == 2);
  CHECK(response.exceptions[0].code == 427);
  CHECK(response.exceptions[0].message == "first");
  CHECK(response.exceptions[1].code == 450);  // a status without a code of Pinot's
}

TEST_CASE("unavailable segments are named, ten of them at most") {
  Route route =
      RouteOf(MakeCatalog({{.target = "dead", .names = SegmentNames(0, 25), .alive = false}}));
  QueryResponse response;
  AddUnavailable(response, route);
  REQUIRE(response.exceptions.size() == 1);
  const std::string& message = response.exceptions[0].message;
  CHECK(response.exceptions[0].code == 305);
  CHECK(message.find("25 of 25 segments of table t_OFFLINE") != std::string::npos);
  CHECK(message.find("segment_000009") != std::string::npos);
  CHECK(message.find("segment_000010") == std::string::npos);
  CHECK(message.find("and 15 more") != std::string::npos);
  // Those that a filter rules out are not needed.
  route.unavailable = std::make_shared<const Roaring>();
  QueryResponse none;
  AddUnavailable(none, route);
  CHECK(none.exceptions.empty());
}

TEST_CASE("segments that their servers cannot read are unavailable, with the reason") {
  Route route = Twenty();
  auto table = std::make_shared<Table>(*route.table);
  table->broken = {{"cut", "no footer"}, {"torn", "bad checksum"}};
  route.table = table;
  QueryResponse response;
  AddUnavailable(response, route);
  REQUIRE(response.exceptions.size() == 1);
  const std::string& message = response.exceptions[0].message;
  CHECK(message.find("2 of 22 segments") != std::string::npos);
  CHECK(message.find("cut (no footer), torn (bad checksum)") != std::string::npos);
  CHECK(message.find("more") == std::string::npos);
}

TEST_CASE("the servers' statistics and bills add up") {
  DispatchOutcome outcome;
  outcome.retries = 3;
  outcome.hedges = 1;
  for (int64_t i = 1; i <= 2; ++i) {
    ServerAnswer answer = Answer("s" + std::to_string(i));
    answer.statistics.documents_scanned = 10 * i;
    answer.statistics.documents_total = 100 * i;
    answer.statistics.segments_queried = i;
    answer.statistics.groups_limit_reached = i == 2;
    answer.encoding = "known";
    answer.segments = i;
    answer.wire_bytes = 7;
    answer.names_sent = 5 * i;
    answer.cache_hit = i == 1;
    answer.attempts = 2;
    answer.encoded_at_us = 40;
    answer.sent_at_us = 41;
    outcome.servers.push_back(std::move(answer));
  }
  QueryResponse response;
  CHECK(AddServers(response, Twenty(), outcome).ok());
  CHECK(response.statistics.docs_scanned == 30);
  CHECK(response.statistics.total_docs == 300);
  CHECK(response.statistics.segments_queried == 3);
  CHECK(response.statistics.servers_queried == 2);
  CHECK(response.statistics.servers_responded == 2);
  CHECK(response.groups_limit_reached);
  CHECK(response.retries == 3);
  CHECK(response.hedges == 1);
  REQUIRE(response.dispatch_stats.size() == 2);
  const DispatchStats& bill = response.dispatch_stats[1];
  CHECK(bill.server == "s2");
  CHECK(bill.encoding == "known");
  CHECK(bill.segments == 2);
  CHECK(bill.wire_size_bytes == 7);
  CHECK(bill.names_sent == 10);
  CHECK_FALSE(bill.cache_hit);
  CHECK(bill.attempts == 2);
  CHECK(bill.encoded_at_us == 40);
  CHECK(bill.sent_at_us == 41);
  CHECK(response.exceptions.empty());
  CHECK_FALSE(response.partial_result);
}

TEST_CASE("when nothing is missing from the answer nobody hears of what failed on the way") {
  DispatchOutcome outcome;
  outcome.servers = {Answer("good"), Answer("bad", Fault(PinotCode::kQueryExecution))};
  outcome.servers[0].broken = {{"cut", "no footer"}};
  outcome.dropped = Ids(3, 5);
  QueryResponse response;
  CHECK(AddServers(response, Twenty(), outcome).ok());
  CHECK(response.exceptions.empty());
  CHECK_FALSE(response.partial_result);
}

TEST_CASE("a lost server leaves the rows of the others, a fault of the query leaves none") {
  for (const PinotCode code : {PinotCode::kServerNotResponding, PinotCode::kServerShuttingDown,
                               PinotCode::kBrokerRequestSend, PinotCode::kSegmentUnavailable}) {
    DispatchOutcome outcome;
    outcome.servers = {Answer("good"), Answer("bad", Fault(code))};
    outcome.uncovered = Ids(5, 17);
    QueryResponse response;
    INFO(static_cast<int>(code));
    CHECK(AddServers(response, Twenty(), outcome).ok());
    CHECK(response.partial_result);
    REQUIRE(response.exceptions.size() == 1);
    const std::string& message = response.exceptions[0].message;
    CHECK(response.exceptions[0].code == static_cast<int>(code));
    CHECK(message.find("server bad: it broke") != std::string::npos);
    CHECK(message.find("12 of 20 segments of table t_OFFLINE: segment_000005, ") !=
          std::string::npos);
    CHECK(message.find("and 2 more") != std::string::npos);
  }
  DispatchOutcome outcome;
  outcome.servers = {Answer("good"), Answer("bad", Fault(PinotCode::kQueryExecution))};
  outcome.uncovered = Ids(5, 17);
  QueryResponse response;
  const Status fault = AddServers(response, Twenty(), outcome);
  CHECK(fault.pinot_code() == PinotCode::kQueryExecution);
  CHECK(fault.message().find("bad") != std::string::npos);
}

TEST_CASE("servers that fail in one way are one exception, with all their names") {
  DispatchOutcome outcome;
  outcome.servers = {Answer("a", Fault(PinotCode::kServerNotResponding)),
                     Answer("b", Fault(PinotCode::kServerNotResponding)),
                     Answer("c", Fault(PinotCode::kServerShuttingDown))};
  outcome.uncovered = Ids(0, 19);
  QueryResponse response;
  CHECK(AddServers(response, Twenty(), outcome).ok());
  REQUIRE(response.exceptions.size() == 2);
  CHECK(response.exceptions[0].code == 210);
  CHECK(response.exceptions[1].code == 427);
  CHECK(response.exceptions[1].message.find("server a: it broke; server b: it broke") !=
        std::string::npos);
}

TEST_CASE("of several faults a validation error is shown first") {
  DispatchOutcome outcome;
  outcome.uncovered = Ids(0, 1);
  outcome.servers = {Answer("a", Fault(PinotCode::kQueryExecution)),
                     Answer("b", Fault(PinotCode::kQueryValidation)),
                     Answer("c", Fault(PinotCode::kServerResourceLimit))};
  QueryResponse response;
  CHECK(AddServers(response, Twenty(), outcome).pinot_code() == PinotCode::kQueryValidation);
}

TEST_CASE("where nothing is covered there are no rows that look like an answer") {
  DispatchOutcome outcome;
  outcome.servers = {Answer("a", Fault(PinotCode::kServerNotResponding))};
  outcome.uncovered = Ids(0, 20);
  QueryResponse response;
  CHECK(AddServers(response, Twenty(), outcome).pinot_code() == PinotCode::kServerNotResponding);
}

TEST_CASE("missing and broken segments are counted and named with 305") {
  DispatchOutcome outcome;
  outcome.servers = {Answer("a")};
  outcome.servers[0].broken = {{"segment_000002", "no footer"}};
  outcome.uncovered = outcome.missing = Ids(2, 4);
  QueryResponse response;
  CHECK(AddServers(response, Twenty(), outcome).ok());
  CHECK(response.partial_result);
  REQUIRE(response.exceptions.size() == 1);
  CHECK(response.exceptions[0].code == 305);
  const std::string& message = response.exceptions[0].message;
  CHECK(message.find("2 of 20 segments of table t_OFFLINE: segment_000002 (a: no footer), "
                     "segment_000003") != std::string::npos);
}

}  // namespace trellis::broker
