#include "common/telemetry/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace trellis {
namespace {

prometheus::Registry& Registry() {
  static auto* registry = new prometheus::Registry;
  return *registry;
}

}  // namespace

void CountMetric(const std::string& name, const std::string& help, double amount) {
  prometheus::BuildCounter().Name(name).Help(help).Register(Registry()).Add({}).Increment(amount);
}

void SetGauge(const std::string& name, const std::string& help, double value) {
  prometheus::BuildGauge().Name(name).Help(help).Register(Registry()).Add({}).Set(value);
}

void ObserveHistogram(const std::string& name, const std::string& help, double value) {
  static const prometheus::Histogram::BucketBoundaries kBuckets{
      1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3, 10, 30, 100};
  prometheus::BuildHistogram()
      .Name(name)
      .Help(help)
      .Register(Registry())
      .Add({}, kBuckets)
      .Observe(value);
}

std::string MetricsText() { return prometheus::TextSerializer().Serialize(Registry().Collect()); }

}  // namespace trellis
