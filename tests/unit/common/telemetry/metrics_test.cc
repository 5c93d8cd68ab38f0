#include "common/telemetry/metrics.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace trellis {
namespace {

// Tells whether the exposition text has this line.
bool HasLine(const std::string& line) {
  return ("\n" + MetricsText()).find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("a counter adds up over threads") {
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([] {
      for (int round = 0; round < 1000; ++round)
        CountMetric("trellis_test_rounds_total", "Rounds of this test.");
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(HasLine("trellis_test_rounds_total 4000"));
  CHECK(HasLine("# TYPE trellis_test_rounds_total counter"));
  CHECK(HasLine("# HELP trellis_test_rounds_total Rounds of this test."));
}

TEST_CASE("a gauge holds its last value") {
  SetGauge("trellis_test_level", "Level of this test.", 3);
  SetGauge("trellis_test_level", "Level of this test.", -1.5);
  CHECK(HasLine("trellis_test_level -1.5"));
}

TEST_CASE("a histogram counts what it saw into its buckets") {
  ObserveHistogram("trellis_test_seconds", "Seconds of this test.", 0.002);
  ObserveHistogram("trellis_test_seconds", "Seconds of this test.", 1000);
  CHECK(HasLine("trellis_test_seconds_count 2"));
  CHECK(HasLine("trellis_test_seconds_bucket{le=\"0.001\"} 0"));
  CHECK(HasLine("trellis_test_seconds_bucket{le=\"100\"} 1"));
  CHECK(HasLine("trellis_test_seconds_bucket{le=\"+Inf\"} 2"));
}

}  // namespace
}  // namespace trellis
