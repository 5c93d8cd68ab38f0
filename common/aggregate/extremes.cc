// MIN, MAX, MINMAXRANGE, MINLONG, MAXLONG. MIN and MAX travel as DOUBLE, MINMAXRANGE as {f64 min,
// f64 max}, the LONG ones as LONG.
#include <cmath>
#include <limits>

#include "common/aggregate/families.h"
#include "common/aggregate/fold_states.h"

namespace trellis::aggregate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Java's Math.min on doubles: NaN wins, -0.0 is below 0.0.
inline double JavaMin(double a, double b) {
  if (b < a || b != b) return b;
  return a == b && std::signbit(b) ? b : a;
}
inline double JavaMax(double a, double b) {
  if (b > a || b != b) return b;
  return a == b && std::signbit(a) ? b : a;
}

// Pinot keeps the one running extreme with Math.min, but compares strictly (so that NaN never
// enters) where it keeps one a group.
struct MinOp {
  using State = double;
  using Output = double;
  static constexpr DataType kStateType = DataType::kDouble;
  static constexpr bool kIntegers = false;
  static constexpr bool kExactDecimals = false;
  static State Identity() { return kInfinity; }
  template <class T>
  static void Step(State& state, T value) {
    if constexpr (std::is_integral_v<T>)
      StepGroup(state, value);
    else
      state = JavaMin(state, value);
  }
  template <class T>
  static void StepGroup(State& state, T value) {
    if (ToDouble(value) < state) state = ToDouble(value);
  }
  static void Combine(State& into, State from) { into = JavaMin(into, from); }
  static bool Valid(State) { return true; }
  static double Finish(State state) { return state; }
};

struct MaxOp {
  using State = double;
  using Output = double;
  static constexpr DataType kStateType = DataType::kDouble;
  static constexpr bool kIntegers = false;
  static constexpr bool kExactDecimals = false;
  static State Identity() { return -kInfinity; }
  template <class T>
  static void Step(State& state, T value) {
    if constexpr (std::is_integral_v<T>)
      StepGroup(state, value);
    else
      state = JavaMax(state, value);
  }
  template <class T>
  static void StepGroup(State& state, T value) {
    if (ToDouble(value) > state) state = ToDouble(value);
  }
  static void Combine(State& into, State from) { into = JavaMax(into, from); }
  static bool Valid(State) { return true; }
  static double Finish(State state) { return state; }
};

struct RangeOp {
  struct State {
    double min;
    double max;
  };
  using Output = double;
  static constexpr DataType kStateType = DataType::kBytes;
  static constexpr bool kIntegers = false;
  static constexpr bool kExactDecimals = false;
  static State Identity() { return {kInfinity, -kInfinity}; }
  template <class T>
  static void Step(State& state, T value) {
    StepGroup(state, value);
  }
  template <class T>
  static void StepGroup(State& state, T value) {
    if (ToDouble(value) < state.min) state.min = ToDouble(value);
    if (ToDouble(value) > state.max) state.max = ToDouble(value);
  }
  static void Combine(State& into, const State& from) {
    if (from.min < into.min) into.min = from.min;
    if (from.max > into.max) into.max = from.max;
  }
  static bool Valid(const State&) { return true; }
  static double Finish(const State& state) { return state.max - state.min; }
};

template <bool kMax>
struct LongOp {
  using State = int64_t;
  using Output = int64_t;
  static constexpr DataType kStateType = DataType::kLong;
  static constexpr bool kIntegers = true;
  static constexpr bool kExactDecimals = false;
  static State Identity() {
    return kMax ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  template <class T>
  static void Step(State& state, T value) {
    if constexpr (std::is_integral_v<T>) Combine(state, value);
  }
  template <class T>
  static void StepGroup(State& state, T value) {
    Step(state, value);
  }
  static void Combine(State& into, State from) {
    into = kMax ? std::max(into, from) : std::min(into, from);
  }
  static bool Valid(State) { return true; }
  static int64_t Finish(State state) { return state; }
};

}  // namespace

Resolved ResolveExtreme(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 0));
  TRELLIS_RETURN_IF_ERROR(RequireNumber(spec));
  const ValueType argument = spec.argument_types[0];
  const bool nulls = spec.null_handling;
  const ValueType as_double{DataType::kDouble, false};
  if (spec.function == "min")
    return MakeFunction<FoldStates<MinOp>>(as_double, DataType::kDouble, argument, nulls);
  if (spec.function == "max")
    return MakeFunction<FoldStates<MaxOp>>(as_double, DataType::kDouble, argument, nulls);
  if (spec.function == "minmaxrange") {
    return MakeFunction<FoldStates<RangeOp>>(as_double, DataType::kBytes, argument, nulls);
  }
  const Physical physical = PhysicalOf(argument.type);
  if (physical != Physical::kInt32 && physical != Physical::kInt64) {
    return Status::Query(PinotCode::kQueryValidation, "Cannot compute {} for type: {}",
                         spec.function, DataTypeName(argument.type));
  }
  const ValueType as_long{DataType::kLong, false};
  if (spec.function == "minlong") {
    return MakeFunction<FoldStates<LongOp<false>>>(as_long, DataType::kLong, argument, nulls);
  }
  return MakeFunction<FoldStates<LongOp<true>>>(as_long, DataType::kLong, argument, nulls);
}

}  // namespace trellis::aggregate
