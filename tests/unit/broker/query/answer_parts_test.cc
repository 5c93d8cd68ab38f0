#include "broker/query/answer_parts.h"

#include <catch2/catch.hpp>

namespace trellis::broker {
namespace {

ServerAnswer Answer(std::string target, Status status = {}) {
  ServerAnswer answer;
  answer.target = std::move(target);
  answer.responded = status.ok();
  answer.status = std::move(status);
  return answer;
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
  Table table;
  table.name = "t_OFFLINE";
  for (int i = 0; i < 25; ++i) {
    SegmentEntry segment;
    segment.name = "segment_" + std::to_string(i) + "_";
    table.unavailable.push_back(table.segments.size());
    table.segments.push_back(std::move(segment));
  }
  QueryResponse response;
  AddUnavailable(response, table);
  REQUIRE(response.exceptions.size() == 1);
  const std::string& message = response.exceptions[0].message;
  CHECK(response.exceptions[0].code == 305);
  CHECK(message.find("25 of 25 segments of table t_OFFLINE") != std::string::npos);
  CHECK(message.find("segment_9_") != std::string::npos);
  CHECK(message.find("segment_10_") == std::string::npos);
  CHECK(message.find("and 15 more") != std::string::npos);
  table.unavailable.clear();
  QueryResponse none;
  AddUnavailable(none, table);
  CHECK(none.exceptions.empty());
}

TEST_CASE("the servers' statistics add up") {
  DispatchOutcome outcome;
  for (int64_t i = 1; i <= 2; ++i) {
    ServerAnswer answer = Answer("s" + std::to_string(i));
    answer.statistics.documents_scanned = 10 * i;
    answer.statistics.documents_total = 100 * i;
    answer.statistics.segments_queried = i;
    answer.statistics.groups_limit_reached = i == 2;
    answer.segments = i;
    outcome.servers.push_back(std::move(answer));
  }
  QueryResponse response;
  CHECK(AddServers(response, outcome).ok());
  CHECK(response.statistics.docs_scanned == 30);
  CHECK(response.statistics.total_docs == 300);
  CHECK(response.statistics.segments_queried == 3);
  CHECK(response.statistics.servers_responded == 2);
  CHECK(response.groups_limit_reached);
  REQUIRE(response.dispatch_stats.size() == 2);
  CHECK(response.dispatch_stats[1].names_sent == 2);
  CHECK(response.exceptions.empty());
}

TEST_CASE("a lost server leaves the rows of the others, a fault of the query leaves none") {
  for (const PinotCode code : {PinotCode::kServerNotResponding, PinotCode::kServerShuttingDown,
                               PinotCode::kBrokerRequestSend, PinotCode::kSegmentUnavailable}) {
    DispatchOutcome outcome;
    outcome.servers = {Answer("good"), Answer("bad", Fault(code))};
    QueryResponse response;
    INFO(static_cast<int>(code));
    CHECK(AddServers(response, outcome).ok());
    REQUIRE(response.exceptions.size() == 1);
    CHECK(response.exceptions[0].code == static_cast<int>(code));
    CHECK(response.exceptions[0].message.find("bad") != std::string::npos);
  }
  DispatchOutcome outcome;
  outcome.servers = {Answer("good"), Answer("bad", Fault(PinotCode::kQueryExecution))};
  QueryResponse response;
  const Status fault = AddServers(response, outcome);
  CHECK(fault.pinot_code() == PinotCode::kQueryExecution);
  CHECK(fault.message().find("bad") != std::string::npos);
}

TEST_CASE("of several faults a validation error is shown first") {
  DispatchOutcome outcome;
  outcome.servers = {Answer("a", Fault(PinotCode::kQueryExecution)),
                     Answer("b", Fault(PinotCode::kQueryValidation)),
                     Answer("c", Fault(PinotCode::kServerResourceLimit))};
  QueryResponse response;
  CHECK(AddServers(response, outcome).pinot_code() == PinotCode::kQueryValidation);
}

TEST_CASE("missing and broken segments are named with 305") {
  DispatchOutcome outcome;
  outcome.servers = {Answer("a")};
  outcome.servers[0].missing = {"gone"};
  QueryResponse missing;
  CHECK(AddServers(missing, outcome).ok());
  REQUIRE(missing.exceptions.size() == 1);
  CHECK(missing.exceptions[0].code == 305);
  CHECK(missing.exceptions[0].message.find("gone") != std::string::npos);
  outcome.servers[0].missing.clear();
  outcome.servers[0].broken = {{"cut", "no footer"}};
  QueryResponse broken;
  CHECK(AddServers(broken, outcome).ok());
  REQUIRE(broken.exceptions.size() == 1);
  CHECK(broken.exceptions[0].message.find("cut (no footer)") != std::string::npos);
}

}  // namespace trellis::broker
