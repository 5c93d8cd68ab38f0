#include "broker/bind/query_options.h"

#include <catch2/catch.hpp>

namespace trellis::broker {
namespace {

QueryOptions Read(const OptionList& list) {
  auto options = ReadOptions(list);
  INFO(options.status().message());
  REQUIRE(options.ok());
  return *options;
}

void Refused(const OptionList& list, PinotCode code, std::string_view part) {
  const auto options = ReadOptions(list);
  INFO(list[0].first << "=" << list[0].second << ": " << options.status().message());
  REQUIRE_FALSE(options.ok());
  CHECK(options.status().pinot_code() == code);
  CHECK(options.status().message().find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("option names are matched without case") {
  const QueryOptions options = Read({{"TIMEOUTMS", "250"},
                                     {"EnableNullHandling", "TRUE"},
                                     {"numgroupslimit", "7"},
                                     {"explainplanverbose", "true"},
                                     {"segmentListEncoding", "names"}});
  CHECK(options.timeout_ms == 250);
  CHECK(options.null_handling);
  CHECK(options.groups_max == 7);
  CHECK(options.explain_verbose);
  CHECK(options.segment_list_encoding == "names");
}

TEST_CASE("a query may choose how its segments travel, and what is done about slow servers") {
  for (const char* encoding : {"known", "packed", "names", "legacy_json"})
    CHECK(Read({{"segmentListEncoding", encoding}}).segment_list_encoding == encoding);
  Refused({{"segmentListEncoding", "zip"}}, PinotCode::kQueryValidation, "packed");
  const QueryOptions options =
      Read({{"hedge", "false"}, {"RETRY", "FALSE"}, {"usebrokerpruning", "false"}});
  CHECK(options.hedge == false);
  CHECK_FALSE(options.retry);
  CHECK_FALSE(options.broker_pruning);
  CHECK(Read({{"hedge", "True"}}).hedge == true);
  for (const char* name : {"hedge", "retry", "useBrokerPruning"})
    Refused({{name, "perhaps"}}, PinotCode::kQueryValidation, name);
}

TEST_CASE("what no option says stays as it is by default") {
  const QueryOptions options = Read({});
  CHECK_FALSE(options.timeout_ms.has_value());
  CHECK_FALSE(options.null_handling);
  CHECK(options.groups_max == 0);
  CHECK_FALSE(options.segment_list_encoding.has_value());
  CHECK_FALSE(options.hedge.has_value());
  CHECK(options.retry);
  CHECK(options.broker_pruning);
}

TEST_CASE("the first mention of an option wins, whatever its case") {
  CHECK(Read({{"timeoutMs", "1"}, {"TIMEOUTMS", "2"}}).timeout_ms == 1);
  CHECK_FALSE(
      Read({{"enableNullHandling", "false"}, {"enableNullHandling", "true"}}).null_handling);
}

TEST_CASE("every option that would change the answer is refused by its name") {
  for (const char* name :
       {"useMultistageEngine", "skipUpsert", "skipUpsertDelete", "getCursor", "dropResults",
        "sampler", "ignoreMissingSegments", "errorOnNumGroupsLimit",
        "filteredAggregationsSkipEmptyGroups", "maxRowsInDistinct", "maxExecutionTimeMsInDistinct",
        "autoRewriteAggregationType", "numRowsWithoutChangeInDistinct", "useApproximateFunction",
        "enableColumnBasedNullHandling"}) {
    Refused({{name, "true"}}, PinotCode::kQueryValidation, name);
    CHECK(ReadOptions({{name, "false"}}).ok());
  }
}

TEST_CASE("options that change only how a query runs are accepted") {
  for (const char* name : {"useStarTree", "skipIndexes", "maxExecutionThreads", "clientQueryId",
                           "minServerGroupTrimSize", "trace", "routingOptions"}) {
    INFO(name);
    CHECK(ReadOptions({{name, "whatever"}}).ok());
  }
}

TEST_CASE("an unknown option is refused with the nearest known one") {
  Refused({{"timeoutM", "5"}}, PinotCode::kSqlParsing, "did you mean 'timeoutMs'?");
  Refused({{"enableNullHandlin", "true"}}, PinotCode::kSqlParsing,
          "did you mean 'enableNullHandling'?");
  Refused({{"", ""}}, PinotCode::kSqlParsing, "unknown query option");
}

TEST_CASE("option values that do not parse are refused with 700") {
  for (const char* value : {"", "abc", "-1", "1.5", "0", "99999999999999999999"})
    Refused({{"timeoutMs", value}}, PinotCode::kQueryValidation, "timeoutMs");
  Refused({{"numGroupsLimit", "-5"}}, PinotCode::kQueryValidation, "numGroupsLimit");
  Refused({{"segmentListEncoding", "zip"}}, PinotCode::kQueryValidation, "zip");
}

TEST_CASE("the request's options are split at ; and the first =") {
  const auto list = SplitOptions(" a = 1 ;; b=x=y; ");
  REQUIRE(list.ok());
  CHECK(*list == OptionList{{"a", "1"}, {"b", "x=y"}});
  CHECK(SplitOptions("")->empty());
  const auto refused = SplitOptions("a=1;timeoutMs");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().pinot_code() == PinotCode::kSqlParsing);
  CHECK(refused.status().message().find("timeoutMs") != std::string::npos);
}

}  // namespace trellis::broker
