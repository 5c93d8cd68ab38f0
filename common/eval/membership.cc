#include <unordered_set>

#include "common/eval/comparison.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"

namespace trellis::eval {
namespace {

// The literals of an IN list as the physical type of its subject. Copies share the bytes of text.
template <class T>
struct ValueSet {
  std::shared_ptr<std::vector<std::string>> texts = std::make_shared<std::vector<std::string>>();
  std::unordered_set<T> values;
  bool has_null = false;
};

template <class T>
Result<ValueSet<T>> MakeValueSet(const Call& call) {
  ValueSet<T> set;
  set.texts->reserve(call.size());  // the views below must stay put
  for (size_t i = 1; i < call.size(); ++i) {
    const Value* literal = call.literal(i);
    if (literal == nullptr) {
      set.has_null = true;
      continue;
    }
    TRELLIS_ASSIGN_OR_RETURN(const Value value, ParseValue(ValueToText(*literal), call.type(0)));
    if constexpr (std::is_same_v<T, int32_t>) set.values.insert(value.int32());
    if constexpr (std::is_same_v<T, int64_t>) set.values.insert(value.int64());
    if constexpr (std::is_same_v<T, float>) set.values.insert(value.float32());
    if constexpr (std::is_same_v<T, double>) set.values.insert(value.float64());
    if constexpr (std::is_same_v<T, std::string_view>) {
      set.texts->push_back(value.bytes());
      set.values.insert(set.texts->back());
    }
  }
  return set;
}

// Rows of `subject` with an element in the set.
template <class T>
void TestMembers(const ColumnVector& subject, const ValueSet<T>& set, std::vector<int32_t>& out) {
  if (!subject.is_multi_value()) {
    const RowReader<T> value(subject);
    for (size_t row = 0; row < out.size(); ++row) out[row] = set.values.contains(value[row]);
    return;
  }
  const std::vector<T>& flat = subject.values<T>();
  for (size_t row = 0; row < out.size(); ++row) {
    int32_t found = 0;
    for (uint32_t i = subject.offsets()[row]; i < subject.offsets()[row + 1] && !found; ++i) {
      found = set.values.contains(flat[i]);
    }
    out[row] = found;
  }
}

// Nulls by SQL's rule: unknown when the subject is, or when nothing matched and the list has a
// NULL.
void FinishMembership(const ColumnVector& subject, bool list_has_null, bool negated,
                      const EvaluationContext& context, ColumnVector& out) {
  std::vector<int32_t>& to = out.values<int32_t>();
  for (size_t row = 0; row < to.size(); ++row) {
    const bool found = to[row] != 0;
    to[row] = found != negated;
    if (context.null_handling && (subject.is_null(row) || (list_has_null && !found)))
      out.SetNull(row);
  }
}

template <class T>
Result<FunctionPtr> InLiterals(const Call& call, bool negated) {
  TRELLIS_ASSIGN_OR_RETURN(auto set, MakeValueSet<T>(call));
  return MakeNullHandlingFunction(
      DataType::kBoolean,
      [set = std::move(set), negated](Vectors arguments, size_t rows,
                                      const EvaluationContext& context, ColumnVector& out) {
        out.Resize(rows);
        TestMembers(*arguments[0], set, out.values<int32_t>());
        FinishMembership(*arguments[0], set.has_null, negated, context, out);
        return Status::Ok();
      });
}

// A list with columns in it is a chain of comparisons.
Result<FunctionPtr> InExpressions(const Call& call, bool negated) {
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  std::vector<FunctionPtr> equals;
  for (size_t i = 1; i < call.size(); ++i) {
    const Argument pair[2] = {call.arguments[0], call.arguments[i]};
    TRELLIS_ASSIGN_OR_RETURN(
        FunctionPtr equal,
        ResolveComparison(Comparison::kEqual, Call{call.name, pair, call.layer}));
    equals.push_back(std::move(equal));
  }
  return MakeNullHandlingFunction(
      DataType::kBoolean,
      [equals = std::move(equals), negated](Vectors arguments, size_t rows,
                                            const EvaluationContext& context,
                                            ColumnVector& out) -> Status {
        std::vector<uint8_t> found(rows), unknown(rows);
        ColumnVector equal;
        for (size_t i = 1; i < arguments.size(); ++i) {
          const ColumnVector* pair[2] = {arguments[0], arguments[i]};
          TRELLIS_RETURN_IF_ERROR(equals[i - 1]->Evaluate(pair, rows, context, equal));
          for (size_t row = 0; row < rows; ++row) {
            const bool null =
                context.null_handling && (arguments[0]->is_null(row) || arguments[i]->is_null(row));
            unknown[row] |= null;
            found[row] |= !null && equal.values<int32_t>()[row] != 0;
          }
        }
        for (size_t row = 0; row < rows; ++row) {
          out.values<int32_t>()[row] = (found[row] != 0) != negated;
          if (unknown[row] && !found[row]) out.SetNull(row);
        }
        return Status::Ok();
      });
}

Resolver InResolver(bool negated) {
  return [negated](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 100'000));
    bool literals_only = true;
    for (size_t i = 1; i < call.size(); ++i) literals_only &= call.arguments[i].literal != nullptr;
    if (!literals_only || call.type(0) == DataType::kUnknown) return InExpressions(call, negated);
    if (call.type(0) == DataType::kBigDecimal || IsMapLike(call.type(0)))
      return call.Unsuitable();
    return WithPhysical(PhysicalOf(call.type(0)),
                        [&](auto tag) { return InLiterals<decltype(tag)>(call, negated); });
  };
}

Argument AsDouble() { return {{DataType::kDouble, false}, nullptr}; }

// Inclusive. Three values of one type are compared in it, anything else as doubles.
Result<FunctionPtr> ResolveBetween(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(3, 3));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  const bool same = call.type(0) == call.type(1) && call.type(0) == call.type(2);
  Argument low[2] = {call.arguments[0], call.arguments[1]};
  Argument high[2] = {call.arguments[0], call.arguments[2]};
  // Literal bounds of text and timestamps follow the subject; mixed numbers meet as doubles.
  const bool numbers = ConvertsToNumber(call.type(0)) && ConvertsToNumber(call.type(1)) &&
                       ConvertsToNumber(call.type(2));
  const bool doubles = !same && numbers && call.type(0) != DataType::kBigDecimal;
  if (doubles) low[0] = low[1] = high[0] = high[1] = AsDouble();
  TRELLIS_ASSIGN_OR_RETURN(
      FunctionPtr at_least,
      ResolveComparison(Comparison::kGreaterOrEqual, Call{call.name, low, call.layer}));
  TRELLIS_ASSIGN_OR_RETURN(
      FunctionPtr at_most,
      ResolveComparison(Comparison::kLessOrEqual, Call{call.name, high, call.layer}));
  return MakeFunction(
      DataType::kBoolean,
      [at_least, at_most](Vectors arguments, size_t rows, const EvaluationContext& context,
                          ColumnVector& out) -> Status {
        const ColumnVector* low[2] = {arguments[0], arguments[1]};
        const ColumnVector* high[2] = {arguments[0], arguments[2]};
        ColumnVector below;
        TRELLIS_RETURN_IF_ERROR(at_least->Evaluate(low, rows, context, out));
        TRELLIS_RETURN_IF_ERROR(at_most->Evaluate(high, rows, context, below));
        for (size_t row = 0; row < rows; ++row)
          out.values<int32_t>()[row] &= below.values<int32_t>()[row];
        return Status::Ok();
      });
}

}  // namespace

void RegisterMembership(Registry& registry) {
  registry.Add({"in"}, Folding::kNever, InResolver(false));
  registry.Add({"not_in"}, Folding::kNever, InResolver(true));
  registry.Add({"between"}, Folding::kAllowed, ResolveBetween);
}

}  // namespace trellis::eval
