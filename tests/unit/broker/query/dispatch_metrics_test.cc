#include "broker/query/dispatch_metrics.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/telemetry/metrics.h"

namespace trellis::broker {
namespace {

// The value of a metric of this process; 0 when there is none yet.
double ValueOf(const std::string& name) {
  const std::string text = MetricsText();
  const size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size() + 2));
}

}  // namespace

TEST_CASE("a dispatch is counted: bytes, times, names, encodings, attempts and what went wrong") {
  DispatchOutcome outcome;
  outcome.servers.resize(2);
  outcome.servers[0].encoding = "known";
  outcome.servers[0].wire_bytes = 100;
  outcome.servers[0].encode_us = 500'000;
  outcome.servers[0].cache_hit = true;
  outcome.servers[0].attempts = 1;
  outcome.servers[1].encoding = "packed";
  outcome.servers[1].wire_bytes = 23;
  outcome.servers[1].encode_us = 250'000;
  outcome.servers[1].names_sent = 40;
  outcome.servers[1].attempts = 3;
  outcome.retries = 2;
  outcome.hedges = 4;
  outcome.hedges_won = 1;
  outcome.stale_lists = 5;
  outcome.uncovered.addRange(0, 9);
  const std::vector<std::pair<std::string, double>> expected{{"dispatch_bytes", 123},
                                                             {"list_encode_seconds", 0.75},
                                                             {"names_sent", 40},
                                                             {"lists_known", 1},
                                                             {"lists_packed", 1},
                                                             {"lists_names", 0},
                                                             {"lists_legacy_json", 0},
                                                             {"list_cache_hits", 1},
                                                             {"attempts", 4},
                                                             {"retries", 2},
                                                             {"hedges", 4},
                                                             {"hedges_won", 1},
                                                             {"stale_lists", 5},
                                                             {"uncovered_segments", 9}};
  std::vector<double> before;
  for (const auto& [name, amount] : expected)
    before.push_back(ValueOf("trellis_broker_" + name + "_total"));
  CountDispatch(outcome);
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO(expected[i].first);
    CHECK(ValueOf("trellis_broker_" + expected[i].first + "_total") - before[i] ==
          Approx(expected[i].second));
  }
  CHECK(MetricsText().find("trellis_broker_lists_names_total") != std::string::npos);
}

}  // namespace trellis::broker
