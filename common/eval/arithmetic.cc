#include <cmath>
#include <limits>
#include <optional>

#include "common/eval/decimal_math.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"
#include "common/types/java_text.h"

namespace trellis::eval {
namespace {

enum class Operator : uint8_t { kPlus, kMinus, kTimes, kDivide, kMod };

template <class T>
struct PlusOf {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct MinusOf {
  T operator()(T a, T b) const { return a - b; }
};
template <class T>
struct TimesOf {
  T operator()(T a, T b) const { return a * b; }
};
struct DivideDoubles {
  double operator()(double a, double b) const { return a / b; }
};
struct ModDoubles {
  double operator()(double a, double b) const { return std::fmod(a, b); }
};

// Java's long arithmetic wraps: done unsigned.
template <template <class> class Op>
struct Wrapping {
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(Op<uint64_t>{}(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  }
};

template <class T, class Op>
void Combine(const ColumnVector& left, const ColumnVector& right, size_t rows,
             std::vector<T>& out) {
  const Operand<T> a(left);
  const Operand<T> b(right);
  const Op op;
  if (b.is_constant() && rows > 0) {
    const T constant = b[0];
    for (size_t row = 0; row < rows; ++row) out[row] = op(a[row], constant);
    return;
  }
  for (size_t row = 0; row < rows; ++row) out[row] = op(a[row], b[row]);
}

template <class T, class Op>
FunctionPtr Binary(DataType type) {
  return MakeFunction(
      type, [](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) {
        Combine<T, Op>(*arguments[0], *arguments[1], rows, out.values<T>());
        return Status::Ok();
      });
}

// add and mult take any number of arguments. Pinot first combines the literals, then the columns in
// their order: the rounding of doubles depends on it.
template <class Op>
FunctionPtr Variadic(const Call& call, double identity) {
  const Op op;
  double start = identity;
  std::vector<size_t> columns;
  for (size_t i = 0; i < call.size(); ++i) {
    if (const Value* value = call.literal(i)) {
      start = op(start, value->AsDouble());
    } else {
      columns.push_back(i);
    }
  }
  return MakeFunction(DataType::kDouble,
                      [start, columns, op](Vectors arguments, size_t rows, const EvaluationContext&,
                                           ColumnVector& out) {
                        std::vector<double>& to = out.values<double>();
                        to.assign(rows, start);
                        for (const size_t i : columns) {
                          const Operand<double> column(*arguments[i]);
                          for (size_t row = 0; row < rows; ++row)
                            to[row] = op(to[row], column[row]);
                        }
                        return Status::Ok();
                      });
}

Result<BigDecimal> ApplyDecimal(Operator op, const BigDecimal& a, const BigDecimal& b) {
  switch (op) {
    case Operator::kPlus:
      return a.Add(b);
    case Operator::kMinus:
      return a.Subtract(b);
    case Operator::kTimes:
      return a.Multiply(b);
    default:
      if (b.unscaled() == 0) return Status::Query(PinotCode::kQueryExecution, "Division by zero");
      return Divide(a, b);
  }
}

FunctionPtr Decimal(Operator op) {
  return MakeFunction(DataType::kBigDecimal,
                      [op](Vectors arguments, size_t rows, const EvaluationContext& context,
                           ColumnVector& out) -> Status {
                        const std::string zero = BigDecimal().ToBytes();
                        for (size_t row = 0; row < rows; ++row) {
                          Result<BigDecimal> value = DecimalOperand(*arguments[0])[row];
                          for (size_t i = 1; i < arguments.size() && value.ok(); ++i) {
                            const Result<BigDecimal> next = DecimalOperand(*arguments[i])[row];
                            value = next.ok() ? ApplyDecimal(op, *value, *next) : next;
                          }
                          if (!value.ok() && !IsNullRow(arguments, row, context)) {
                            return Status::Query(PinotCode::kQueryExecution, "{}",
                                                 value.status().message());
                          }
                          out.values<std::string_view>()[row] =
                              out.arena().Copy(value.ok() ? value->ToBytes() : zero);
                        }
                        return Status::Ok();
                      });
}

Status CheckNumbers(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  for (size_t i = 0; i < call.size(); ++i) {
    if (!ConvertsToNumber(call.type(i))) return call.Unsuitable();
  }
  return Status::Ok();
}

DataType WidestOf(const Call& call) {
  DataType widest = DataType::kInt;
  for (size_t i = 0; i < call.size(); ++i) widest = WiderNumeric(widest, call.type(i));
  return widest;
}

template <class Op, class LongOp>
Resolver VariadicResolver(Operator op, double identity) {
  return [op, identity](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, call.layer == Layer::kScalar ? 2 : 1000));
    TRELLIS_RETURN_IF_ERROR(CheckNumbers(call));
    const DataType widest = WidestOf(call);
    if (call.layer == Layer::kScalar) {
      if (widest <= DataType::kLong) return Binary<int64_t, LongOp>(DataType::kLong);
      return Binary<double, Op>(DataType::kDouble);
    }
    if (widest == DataType::kBigDecimal) return Decimal(op);
    return Variadic<Op>(call, identity);
  };
}

Result<FunctionPtr> ResolveMinus(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2));
  TRELLIS_RETURN_IF_ERROR(CheckNumbers(call));
  const DataType widest = WidestOf(call);
  if (call.layer == Layer::kScalar && widest <= DataType::kLong) {
    return Binary<int64_t, Wrapping<MinusOf>>(DataType::kLong);
  }
  if (call.layer == Layer::kTransform && widest == DataType::kBigDecimal)
    return Decimal(Operator::kMinus);
  return Binary<double, MinusOf<double>>(DataType::kDouble);
}

// The scalar form has an optional third argument: the answer for a divisor of 0.
Result<FunctionPtr> ResolveDivide(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, call.layer == Layer::kScalar ? 3 : 2));
  TRELLIS_RETURN_IF_ERROR(CheckNumbers(call));
  if (call.layer == Layer::kTransform && WidestOf(call) == DataType::kBigDecimal)
    return Decimal(Operator::kDivide);
  if (call.size() == 2) return Binary<double, DivideDoubles>(DataType::kDouble);
  return MakeFunction(DataType::kDouble, [](Vectors arguments, size_t rows,
                                            const EvaluationContext&, ColumnVector& out) {
    const Operand<double> a(*arguments[0]), b(*arguments[1]), fallback(*arguments[2]);
    for (size_t row = 0; row < rows; ++row) {
      out.values<double>()[row] = b[row] == 0 ? fallback[row] : a[row] / b[row];
    }
    return Status::Ok();
  });
}

template <class T>
FunctionPtr IntegerMod(DataType type) {
  return MakeFunction(type,
                      [](Vectors arguments, size_t rows, const EvaluationContext& context,
                         ColumnVector& out) -> Status {
                        const Operand<T> a(*arguments[0]), b(*arguments[1]);
                        for (size_t row = 0; row < rows; ++row) {
                          if (b[row] == 0 && !IsNullRow(arguments, row, context)) {
                            return Status::Query(PinotCode::kQueryExecution, "Modulo by zero");
                          }
                          out.values<T>()[row] = b[row] == 0 || b[row] == -1 ? 0 : a[row] % b[row];
                        }
                        return Status::Ok();
                      });
}

Result<FunctionPtr> ResolveMod(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2));
  TRELLIS_RETURN_IF_ERROR(CheckNumbers(call));
  if (call.layer == Layer::kScalar) {
    const DataType widest = WidestOf(call);
    if (widest == DataType::kInt) return IntegerMod<int32_t>(DataType::kInt);
    if (widest == DataType::kLong) return IntegerMod<int64_t>(DataType::kLong);
  }
  return Binary<double, ModDoubles>(DataType::kDouble);
}

Status ParseTexts(const ColumnVector& texts, const EvaluationContext& context, ColumnVector& out) {
  const auto& values = texts.values<std::string_view>();
  std::vector<double>& to = out.values<double>();
  to.assign(values.size(), 0.0);
  for (size_t row = 0; row < values.size(); ++row) {
    if (context.null_handling && texts.is_null(row)) continue;
    const std::optional<double> parsed = ParseJavaDouble(values[row]);
    if (!parsed) {
      return Status::Query(PinotCode::kQueryExecution, "For input string: \"{}\"", values[row]);
    }
    to[row] = *parsed;
  }
  out.SetSize(texts.size());
  if (texts.has_nulls()) out.mutable_nulls() = texts.nulls();
  return Status::Ok();
}

// Lets `numeric` take columns of text: transform functions read them as doubles, and a text that is
// none fails the query when it is met.
Resolver ReadingTexts(Resolver numeric) {
  return [numeric = std::move(numeric)](const Call& call) -> Result<FunctionPtr> {
    std::vector<Argument> arguments(call.arguments.begin(), call.arguments.end());
    std::vector<size_t> texts;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].type != ValueType{DataType::kString, false} || arguments[i].literal)
        continue;
      arguments[i].type.type = DataType::kDouble;
      texts.push_back(i);
    }
    if (texts.empty() || call.layer != Layer::kTransform) return numeric(call);
    auto made = numeric(Call{call.name, arguments, call.layer});
    if (!made.ok()) return call.Unsuitable();
    return MakeFunction(
        (*made)->result_type(),
        [texts, function = *made](Vectors given, size_t rows, const EvaluationContext& context,
                                  ColumnVector& out) -> Status {
          std::vector<const ColumnVector*> vectors(given.begin(), given.end());
          std::vector<ColumnVector> parsed(texts.size(), ColumnVector(DataType::kDouble));
          for (size_t i = 0; i < texts.size(); ++i) {
            const ColumnVector& text = *given[texts[i]];
            if (text.is_constant()) parsed[i] = ColumnVector::Constant(Value::Double(0), rows);
            TRELLIS_RETURN_IF_ERROR(ParseTexts(text, context, parsed[i]));
            vectors[texts[i]] = &parsed[i];
          }
          return function->Evaluate(vectors, rows, context, out);
        });
  };
}

template <class T>
FunctionPtr Negate(DataType type) {
  return MakeFunction(type,
                      [](Vectors arguments, size_t rows, const EvaluationContext& context,
                         ColumnVector& out) -> Status {
                        const Operand<T> a(*arguments[0]);
                        std::vector<T>& to = out.values<T>();
                        for (size_t row = 0; row < rows; ++row) {
                          if constexpr (std::is_integral_v<T>) {
                            if (a[row] == std::numeric_limits<T>::min()) {
                              if (!IsNullRow(arguments, row, context)) {
                                return Status::Query(PinotCode::kQueryExecution,
                                                     "Overflow: -({}) does not fit its type",
                                                     a[row]);
                              }
                              to[row] = a[row];
                              continue;
                            }
                          }
                          to[row] = -a[row];
                        }
                        return Status::Ok();
                      });
}

FunctionPtr NegateDecimal() {
  return MakeFunction(
      DataType::kBigDecimal,
      [](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) -> Status {
        for (size_t row = 0; row < rows; ++row) {
          TRELLIS_ASSIGN_OR_RETURN(const BigDecimal value, DecimalOperand(*arguments[0])[row]);
          out.values<std::string_view>()[row] = out.arena().Copy(
              BigDecimal(BigDecimal::Integer(-value.unscaled()), value.scale()).ToBytes());
        }
        return Status::Ok();
      });
}

Result<FunctionPtr> ResolveNegate(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 1));
  TRELLIS_RETURN_IF_ERROR(CheckNumbers(call));
  switch (WidestOf(call)) {
    case DataType::kInt:
      return Negate<int32_t>(DataType::kInt);
    case DataType::kLong:
      return Negate<int64_t>(DataType::kLong);
    case DataType::kFloat:
      return Negate<float>(DataType::kFloat);
    case DataType::kBigDecimal:
      return NegateDecimal();
    default:
      return Negate<double>(DataType::kDouble);
  }
}

}  // namespace

void RegisterArithmetic(Registry& registry) {
  registry.Add(
      {"plus", "add"}, Folding::kAllowed,
      ReadingTexts(VariadicResolver<PlusOf<double>, Wrapping<PlusOf>>(Operator::kPlus, 0.0)));
  registry.Add(
      {"times", "mult"}, Folding::kAllowed,
      ReadingTexts(VariadicResolver<TimesOf<double>, Wrapping<TimesOf>>(Operator::kTimes, 1.0)));
  registry.Add({"minus", "sub"}, Folding::kAllowed, ReadingTexts(ResolveMinus));
  registry.Add({"divide", "div"}, Folding::kAllowed, ReadingTexts(ResolveDivide));
  registry.Add({"mod"}, Folding::kAllowed, ReadingTexts(ResolveMod));
  registry.Add({"negate"}, Folding::kAllowed, ResolveNegate);
}

}  // namespace trellis::eval
