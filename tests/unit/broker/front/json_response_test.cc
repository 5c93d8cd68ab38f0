#include "broker/front/json_response.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace trellis;
using namespace trellis::broker;
using Json = nlohmann::ordered_json;

namespace {

// The fields of an answer of Pinot's single-stage engine, in their order.
const std::vector<std::string> kPinotFields{"resultTable",
                                            "numRowsResultSet",
                                            "partialResult",
                                            "exceptions",
                                            "numGroupsLimitReached",
                                            "numGroupsWarningLimitReached",
                                            "maxRowsInDistinctReached",
                                            "maxRowsWithoutChangeInDistinctReached",
                                            "maxExecutionTimeInDistinctReached",
                                            "timeUsedMs",
                                            "requestId",
                                            "clientRequestId",
                                            "brokerId",
                                            "numDocsScanned",
                                            "totalDocs",
                                            "numEntriesScannedInFilter",
                                            "numEntriesScannedPostFilter",
                                            "numServersQueried",
                                            "numServersResponded",
                                            "numSegmentsQueried",
                                            "numSegmentsProcessed",
                                            "numSegmentsMatched",
                                            "numConsumingSegmentsQueried",
                                            "numConsumingSegmentsProcessed",
                                            "numConsumingSegmentsMatched",
                                            "minConsumingFreshnessTimeMs",
                                            "numSegmentsPrunedByBroker",
                                            "numSegmentsPrunedByServer",
                                            "numSegmentsPrunedInvalid",
                                            "numSegmentsPrunedByLimit",
                                            "numSegmentsPrunedByValue",
                                            "brokerReduceTimeMs",
                                            "offlineThreadCpuTimeNs",
                                            "realtimeThreadCpuTimeNs",
                                            "offlineSystemActivitiesCpuTimeNs",
                                            "realtimeSystemActivitiesCpuTimeNs",
                                            "offlineResponseSerializationCpuTimeNs",
                                            "realtimeResponseSerializationCpuTimeNs",
                                            "offlineTotalCpuTimeNs",
                                            "realtimeTotalCpuTimeNs",
                                            "explainPlanNumEmptyFilterSegments",
                                            "explainPlanNumMatchAllFilterSegments",
                                            "traceInfo",
                                            "tablesQueried",
                                            "offlineThreadMemAllocatedBytes",
                                            "realtimeThreadMemAllocatedBytes",
                                            "offlineResponseSerMemAllocatedBytes",
                                            "realtimeResponseSerMemAllocatedBytes",
                                            "offlineTotalMemAllocatedBytes",
                                            "realtimeTotalMemAllocatedBytes",
                                            "pools",
                                            "rlsFiltersApplied",
                                            "groupsTrimmed",
                                            "serverStats",
                                            "mseLiteLeafStageLimitReached"};

QueryResponse OneRow() {
  QueryResponse response;
  ColumnVector counts(DataType::kLong);
  counts.Append(Value::Long(813));
  response.table = ResultTable{{"count(*)"}, {{DataType::kLong, false}}, {1, {counts}}};
  response.statistics.docs_scanned = 10000;
  response.statistics.servers_queried = 2;
  response.request_id = "2008296444000002688";
  response.time_used_ms = 3;
  response.tables_queried = {"baseline"};
  return response;
}

}  // namespace

TEST_CASE("an answer has Pinot's fields in Pinot's order, then ours") {
  const Json json = Json::parse(QueryResponseJson(OneRow()));
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  std::vector<std::string> wanted = kPinotFields;
  wanted.insert(wanted.end(), {"dispatchStats", "stationTimesUs"});
  CHECK(names == wanted);
}

TEST_CASE("an answer's values are those of the response") {
  const Json json = Json::parse(QueryResponseJson(OneRow()));
  CHECK(json["resultTable"]["rows"].dump() == "[[813]]");
  CHECK(json["numRowsResultSet"] == 1);
  CHECK(json["partialResult"] == false);
  CHECK(json["exceptions"].dump() == "[]");
  CHECK(json["requestId"] == "2008296444000002688");
  CHECK(json["clientRequestId"].is_null());
  CHECK(json["numDocsScanned"] == 10000);
  CHECK(json["numServersQueried"] == 2);
  CHECK(json["tablesQueried"].dump() == R"(["baseline"])");
  CHECK(json["traceInfo"].dump() == "{}");
}

TEST_CASE("an exception leaves the table out and makes the answer partial") {
  QueryResponse response;
  response.exceptions = {{150, "line 1: \"x\"\n"}, {427, "b"}};
  const Json json = Json::parse(QueryResponseJson(response));
  CHECK(!json.contains("resultTable"));
  CHECK(json["numRowsResultSet"] == 0);
  CHECK(json["partialResult"] == true);
  CHECK(json["exceptions"].dump() ==
        R"([{"errorCode":150,"message":"line 1: \"x\"\n"},{"errorCode":427,"message":"b"}])");
}

TEST_CASE("each limit that was reached makes the answer partial, a warning does not") {
  for (bool QueryResponse::*limit :
       {&QueryResponse::groups_limit_reached, &QueryResponse::distinct_rows_limit_reached,
        &QueryResponse::distinct_no_change_limit_reached,
        &QueryResponse::distinct_time_limit_reached, &QueryResponse::partial_result}) {
    QueryResponse response = OneRow();
    response.*limit = true;
    CHECK(Json::parse(QueryResponseJson(response))["partialResult"] == true);
  }
  QueryResponse response = OneRow();
  response.groups_warning_limit_reached = response.groups_trimmed = true;
  const Json json = Json::parse(QueryResponseJson(response));
  CHECK(json["partialResult"] == false);
  CHECK(json["groupsTrimmed"] == true);
}

TEST_CASE("the dispatch bill and the stations are reported") {
  QueryResponse response = OneRow();
  response.dispatch_stats = {{"127.0.0.1:8090", "known", 60000, 42, 7, 3, 0, true, 2, 11, 13}};
  response.retries = 1;
  response.hedges = 4;
  response.stations = {{"parse", 12}, {"bind", 5}};
  const Json json = Json::parse(QueryResponseJson(response));
  CHECK(
      json["dispatchStats"].dump() ==
      R"({"servers":[{"server":"127.0.0.1:8090","encoding":"known","segments":60000,"wireBytes":42,)"
      R"("encodeUs":7,"decodeUs":3,"namesSent":0,"cacheHit":true,"attempts":2,"encodedAtUs":11,)"
      R"("sentAtUs":13}],"retries":1,"hedges":4})");
  CHECK(json["stationTimesUs"].dump() == R"({"parse":12,"bind":5})");
}
