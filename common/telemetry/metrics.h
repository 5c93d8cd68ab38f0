#pragma once

#include <cstdint>
#include <string>

namespace trellis {

// Named counters, gauges and histograms in Prometheus' text format, on prometheus-cpp. Thread-safe;
// one registry a process. Names are `trellis_` + snake_case + unit.
void CountMetric(const std::string& name, const std::string& help, double amount = 1);
void SetGauge(const std::string& name, const std::string& help, double value);
// Observes seconds (or any unit the name says) in exponential buckets from 100 us to 100 s.
void ObserveHistogram(const std::string& name, const std::string& help, double value);

// Everything as Prometheus' text exposition format 0.0.4.
std::string MetricsText();

}  // namespace trellis
