#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/eval/function.h"

namespace trellis::eval {

// What the function families share: how one is resolved, registered and wrapped. Private to this
// room.

using FunctionPtr = std::shared_ptr<const Function>;
using Vectors = std::span<const ColumnVector* const>;

// One call to resolve.
struct Call {
  std::string_view name;
  std::span<const Argument> arguments;
  Layer layer;

  size_t size() const { return arguments.size(); }
  DataType type(size_t i) const { return arguments[i].type.type; }
  bool multi_value(size_t i) const { return arguments[i].type.multi_value; }
  bool any_multi_value() const;
  // The literal of an argument, or nullptr when it is not one or is NULL.
  const Value* literal(size_t i) const;
  // Query(kQueryValidation): "Unsupported function: x with arguments of type: [...]".
  Status Unsuitable() const;
  // The same fault for a wrong number of arguments.
  Status CheckCount(size_t least, size_t most) const;
  Status CheckSingleValue() const;
  // The text, the integer of a literal argument; refused when it is something else.
  Result<std::string> LiteralText(size_t i) const;
  Result<int64_t> LiteralInteger(size_t i) const;
};

using Resolver = std::function<Result<FunctionPtr>(const Call&)>;

// Whether a call of literals may be folded at the broker: Pinot has a deterministic scalar of that
// name.
enum class Folding : uint8_t { kNever, kAllowed };

class Registry {
 public:
  void Add(std::initializer_list<const char*> names, Folding folding, Resolver resolver);
  struct Entry {
    Resolver resolver;
    Folding folding;
  };
  // `name` is looked up in lower case without underscores; nullptr when unknown.
  const Entry* Find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::unordered_map<std::string, std::shared_ptr<const Entry>> entries_;
};

// The families; each adds its functions.
void RegisterArithmetic(Registry& registry);
void RegisterMath(Registry& registry);
void RegisterRounding(Registry& registry);
void RegisterComparison(Registry& registry);
void RegisterMembership(Registry& registry);
void RegisterLogic(Registry& registry);
void RegisterConditional(Registry& registry);
void RegisterCast(Registry& registry);
void RegisterStrings(Registry& registry);
void RegisterSplits(Registry& registry);
void RegisterRegexps(Registry& registry);
void RegisterBytes(Registry& registry);
void RegisterDateTimes(Registry& registry);
void RegisterDateTimeFormats(Registry& registry);
void RegisterArrays(Registry& registry);
void RegisterJson(Registry& registry);
void RegisterRefusals(Registry& registry);

// A function made of a lambda `(arguments, rows, context, out) -> Status`. `out` arrives reset to
// the result type and, when single-value, sized to the rows.
template <class F>
class KernelFunction final : public Function {
 public:
  KernelFunction(ValueType type, bool handles_nulls, F kernel)
      : Function(type), handles_nulls_(handles_nulls), kernel_(std::move(kernel)) {}
  Status Evaluate(Vectors arguments, size_t rows, const EvaluationContext& context,
                  ColumnVector& out) const override {
    out.Reset(result_type_);
    if (!result_type_.multi_value) out.Resize(rows);
    return kernel_(arguments, rows, context, out);
  }
  bool handles_nulls() const override { return handles_nulls_; }

 private:
  bool handles_nulls_;
  F kernel_;
};

template <class F>
FunctionPtr MakeFunction(ValueType type, F kernel) {
  return std::make_shared<KernelFunction<F>>(type, false, std::move(kernel));
}
template <class F>
FunctionPtr MakeFunction(DataType type, F kernel) {
  return MakeFunction(ValueType{type, false}, std::move(kernel));
}
template <class F>
FunctionPtr MakeNullHandlingFunction(ValueType type, F kernel) {
  return std::make_shared<KernelFunction<F>>(type, true, std::move(kernel));
}
template <class F>
FunctionPtr MakeNullHandlingFunction(DataType type, F kernel) {
  return MakeNullHandlingFunction(ValueType{type, false}, std::move(kernel));
}

// Whether a fault in this row is hidden: under null handling a row with a null argument is null
// whatever its placeholder would compute to.
bool IsNullRow(Vectors arguments, size_t row, const EvaluationContext& context);

// INT, LONG, BOOLEAN, TIMESTAMP: held as integers.
bool IsIntegral(DataType type);
// What converts to a number without parsing: the numeric types, BOOLEAN, TIMESTAMP and a NULL
// literal.
bool ConvertsToNumber(DataType type);
bool IsFloating(DataType type);
// The wider of two numeric types: INT < LONG < FLOAT < DOUBLE < BIG_DECIMAL; BOOLEAN counts as INT
// and TIMESTAMP as LONG.
DataType WiderNumeric(DataType a, DataType b);

}  // namespace trellis::eval
