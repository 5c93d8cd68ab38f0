#include "broker/bind/query_options.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/base/nearest_name.h"
#include "common/types/java_text.h"

namespace trellis::broker {
namespace {

// Options of Pinot that change how a query is run but not what it answers: accepted, without
// effect.
const std::vector<std::string>& Neutral() {
  static const std::vector<std::string> names{"extraPassiveTimeoutMs",
                                              "numGroupsWarningLimit",
                                              "maxExecutionThreads",
                                              "useStarTree",
                                              "skipIndexes",
                                              "explainAskingServers",
                                              "minSegmentGroupTrimSize",
                                              "minServerGroupTrimSize",
                                              "minBrokerGroupTrimSize",
                                              "groupTrimThreshold",
                                              "accurateGroupByWithoutOrderBy",
                                              "serverReturnFinalResult",
                                              "serverReturnFinalResultKeyUnpartitioned",
                                              "numReplicaGroupsToQuery",
                                              "orderedPreferredPools",
                                              "useFixedReplica",
                                              "routingOptions",
                                              "maxServerResponseSizeBytes",
                                              "maxQueryResponseSizeBytes",
                                              "isSecondaryWorkload",
                                              "workloadName",
                                              "applicationName",
                                              "clientQueryId",
                                              "queryHash",
                                              "andScanReordering",
                                              "inPredicatePreSorted",
                                              "inPredicateLookupAlgorithm",
                                              "inPredicatePruningThreshold",
                                              "regexDictSizeThreshold",
                                              "optimizeMaxInitialResultHolderCapacity",
                                              "allowReverseOrder",
                                              "trace",
                                              "skipUnavailableServers",
                                              "cursorNumRows",
                                              "groupByMode",
                                              "responseFormat",
                                              "preserveType",
                                              "isMultistage"};
  return names;
}

// Options that would change the answer and are not built: refused by name when they are switched
// on.
const std::vector<std::string>& Refused() {
  static const std::vector<std::string> names{"useMultistageEngine",
                                              "skipUpsert",
                                              "skipUpsertDelete",
                                              "getCursor",
                                              "dropResults",
                                              "sampler",
                                              "ignoreMissingSegments",
                                              "errorOnNumGroupsLimit",
                                              "filteredAggregationsSkipEmptyGroups",
                                              "maxRowsInDistinct",
                                              "maxExecutionTimeMsInDistinct",
                                              "autoRewriteAggregationType",
                                              "numRowsWithoutChangeInDistinct",
                                              "useApproximateFunction",
                                              "enableColumnBasedNullHandling"};
  return names;
}

// As common/wire names them, which this room does not know.
const std::vector<std::string>& SegmentListEncodings() {
  static const std::vector<std::string> names{"known", "packed", "names", "legacy_json"};
  return names;
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names{"timeoutMs",
                                 "enableNullHandling",
                                 "numGroupsLimit",
                                 "explainPlanVerbose",
                                 "segmentListEncoding",
                                 "hedge",
                                 "retry",
                                 "useBrokerPruning"};
  names.insert(names.end(), Neutral().begin(), Neutral().end());
  names.insert(names.end(), Refused().begin(), Refused().end());
  return names;
}

bool Contains(const std::vector<std::string>& names, const std::string& key) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return EqualsIgnoreCase(name, key); });
}

Result<int64_t> ParseCount(const std::string& key, const std::string& value) {
  const auto number = ParseJavaLong(value);
  if (!number || *number < 0) {
    return Status::Query(PinotCode::kQueryValidation,
                         "option {} = '{}': a whole number of 0 or more is expected", key, value);
  }
  return *number;
}

Result<bool> ParseSwitch(const std::string& key, const std::string& value) {
  const bool on = EqualsIgnoreCase(value, "true");
  if (!on && !EqualsIgnoreCase(value, "false")) {
    return Status::Query(PinotCode::kQueryValidation, "option {} = '{}': true or false is expected",
                         key, value);
  }
  return on;
}

Status Apply(const std::string& key, const std::string& value, QueryOptions& options) {
  const auto is = [&](std::string_view name) { return EqualsIgnoreCase(key, name); };
  const bool on = EqualsIgnoreCase(value, "true");
  if (is("timeoutMs")) {
    TRELLIS_ASSIGN_OR_RETURN(options.timeout_ms, ParseCount(key, value));
    if (*options.timeout_ms == 0)
      return Status::Query(PinotCode::kQueryValidation, "option timeoutMs must be above 0");
  } else if (is("enableNullHandling")) {
    options.null_handling = on;
  } else if (is("numGroupsLimit")) {
    TRELLIS_ASSIGN_OR_RETURN(options.groups_max, ParseCount(key, value));
  } else if (is("explainPlanVerbose")) {
    options.explain_verbose = on;
  } else if (is("segmentListEncoding")) {
    const auto& known = SegmentListEncodings();
    if (std::find(known.begin(), known.end(), value) == known.end()) {
      return Status::Query(PinotCode::kQueryValidation,
                           "option segmentListEncoding = '{}': known, packed, names or legacy_json "
                           "is expected",
                           value);
    }
    options.segment_list_encoding = value;
  } else if (is("hedge")) {
    TRELLIS_ASSIGN_OR_RETURN(options.hedge, ParseSwitch(key, value));
  } else if (is("retry")) {
    TRELLIS_ASSIGN_OR_RETURN(options.retry, ParseSwitch(key, value));
  } else if (is("useBrokerPruning")) {
    TRELLIS_ASSIGN_OR_RETURN(options.broker_pruning, ParseSwitch(key, value));
  } else if (Contains(Refused(), key)) {
    if (!EqualsIgnoreCase(value, "false")) {
      return Status::Query(PinotCode::kQueryValidation, "option {}={} is not supported yet", key,
                           value);
    }
  } else if (!Contains(Neutral(), key)) {
    return Status::Query(PinotCode::kSqlParsing, "unknown query option '{}'{}", key,
                         DidYouMean(key, AllNames()));
  }
  return Status::Ok();
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Result<QueryOptions> ReadOptions(const OptionList& list) {
  QueryOptions options;
  std::set<std::string> seen;
  for (const auto& [key, value] : list) {
    if (!seen.insert(ToLowerAscii(key)).second) continue;
    TRELLIS_RETURN_IF_ERROR(Apply(key, value, options));
  }
  return options;
}

Result<OptionList> SplitOptions(std::string_view text) {
  OptionList list;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return Status::Query(PinotCode::kSqlParsing, "query option '{}': key=value is expected",
                           part);
    }
    list.emplace_back(Trim(part.substr(0, equals)), Trim(part.substr(equals + 1)));
  }
  return list;
}

}  // namespace trellis::broker
