// SUM, AVG, SUMINT, SUMLONG. SUM travels as DOUBLE, AVG as {f64 sum, i64 count}, the others as
// LONG.
#include <limits>

#include "common/aggregate/families.h"
#include "common/aggregate/fold_states.h"

namespace trellis::aggregate {
namespace {

struct SumOp {
  using State = double;
  using Output = double;
  static constexpr DataType kStateType = DataType::kDouble;
  static constexpr bool kIntegers = false;
  static constexpr bool kExactDecimals = true;
  static State Identity() { return 0; }
  template <class T>
  static void Step(State& state, T value) {
    state += ToDouble(value);
  }
  template <class T>
  static void StepGroup(State& state, T value) {
    state += ToDouble(value);
  }
  static void Combine(State& into, State from) { into += from; }
  static bool Valid(State) { return true; }
  static double Finish(State state) { return state; }
};

struct AvgOp {
  struct State {
    double sum;
    int64_t count;
  };
  using Output = double;
  static constexpr DataType kStateType = DataType::kBytes;
  static constexpr bool kIntegers = false;
  static constexpr bool kExactDecimals = false;
  static State Identity() { return {0, 0}; }
  template <class T>
  static void Step(State& state, T value) {
    state.sum += ToDouble(value);
    ++state.count;
  }
  template <class T>
  static void StepGroup(State& state, T value) {
    Step(state, value);
  }
  static void Combine(State& into, const State& from) {
    into.sum += from.sum;
    into.count =
        static_cast<int64_t>(static_cast<uint64_t>(into.count) + static_cast<uint64_t>(from.count));
  }
  static bool Valid(const State& state) { return state.count >= 0; }
  static double Finish(const State& state) {
    if (state.count == 0) return -std::numeric_limits<double>::infinity();
    return state.sum / static_cast<double>(state.count);
  }
};

// Wraps as Java's long does.
struct SumLongOp {
  using State = int64_t;
  using Output = int64_t;
  static constexpr DataType kStateType = DataType::kLong;
  static constexpr bool kIntegers = true;
  static constexpr bool kExactDecimals = false;
  static State Identity() { return 0; }
  template <class T>
  static void Step(State& state, T value) {
    if constexpr (std::is_integral_v<T>) Combine(state, value);
  }
  template <class T>
  static void StepGroup(State& state, T value) {
    Step(state, value);
  }
  static void Combine(State& into, State from) {
    into = static_cast<int64_t>(static_cast<uint64_t>(into) + static_cast<uint64_t>(from));
  }
  static bool Valid(State) { return true; }
  static int64_t Finish(State state) { return state; }
};

}  // namespace

Resolved ResolveSum(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 0));
  TRELLIS_RETURN_IF_ERROR(RequireNumber(spec));
  const ValueType argument = spec.argument_types[0];
  const bool nulls = spec.null_handling;
  const ValueType as_double{DataType::kDouble, false};
  if (spec.function == "sum")
    return MakeFunction<FoldStates<SumOp>>(as_double, DataType::kDouble, argument, nulls);
  if (spec.function == "avg")
    return MakeFunction<FoldStates<AvgOp>>(as_double, DataType::kBytes, argument, nulls);
  const Physical physical = PhysicalOf(argument.type);
  const bool fits =
      physical == Physical::kInt32 || (physical == Physical::kInt64 && spec.function == "sumlong");
  if (!fits) {
    return Status::Query(PinotCode::kQueryValidation, "Cannot compute {} for type: {}",
                         spec.function, DataTypeName(argument.type));
  }
  return MakeFunction<FoldStates<SumLongOp>>({DataType::kLong, false}, DataType::kLong, argument,
                                             nulls);
}

}  // namespace trellis::aggregate
