#pragma once

#include <functional>
#include <memory>

#include "common/aggregate/aggregate_function.h"

namespace trellis::aggregate {

// A function whose states one closure makes. The closure must be callable from many threads.
class MadeFunction final : public AggregateFunction {
 public:
  using Maker = std::function<std::unique_ptr<AggregateStates>()>;
  MadeFunction(ValueType result_type, DataType state_type, Maker make)
      : AggregateFunction(result_type, state_type), make_(std::move(make)) {}
  std::unique_ptr<AggregateStates> NewStates() const override { return make_(); }

 private:
  Maker make_;
};

using Resolved = Result<std::shared_ptr<const AggregateFunction>>;

// Returns the function whose states are `States(arguments...)`.
template <class States, class... A>
Resolved MakeFunction(ValueType result_type, DataType state_type, A... arguments) {
  return std::shared_ptr<const AggregateFunction>(std::make_shared<MadeFunction>(
      result_type, state_type, [arguments...] { return std::make_unique<States>(arguments...); }));
}

// One resolver a family; each tells its functions apart by `spec.function`. The registry has
// checked that the number of row arguments is right.
Resolved ResolveCounting(const AggregateSpec& spec);
Resolved ResolveSum(const AggregateSpec& spec);
Resolved ResolveSumPrecision(const AggregateSpec& spec);
Resolved ResolveExtreme(const AggregateSpec& spec);
Resolved ResolveExtremeString(const AggregateSpec& spec);
Resolved ResolveLogical(const AggregateSpec& spec);
Resolved ResolveDistinct(const AggregateSpec& spec);
Resolved ResolveMode(const AggregateSpec& spec);
Resolved ResolvePercentile(const AggregateSpec& spec);
Resolved ResolveVariance(const AggregateSpec& spec);
Resolved ResolveFourthMoment(const AggregateSpec& spec);
Resolved ResolveCovariance(const AggregateSpec& spec);
Resolved ResolveHyperLogLog(const AggregateSpec& spec);
Resolved ResolveWithTime(const AggregateSpec& spec);
Resolved ResolveAnyValue(const AggregateSpec& spec);
Resolved ResolveHistogram(const AggregateSpec& spec);
Resolved ResolveArrayAgg(const AggregateSpec& spec);

}  // namespace trellis::aggregate
