#include "common/eval/comparison.h"

#include <bit>
#include <cmath>

#include "common/eval/operand.h"
#include "common/types/text_order.h"

namespace trellis::eval {

int CompareLongWithDouble(int64_t a, double b) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (std::isnan(b) || b >= kTwoTo63) return -1;
  if (b < -kTwoTo63) return 1;
  const auto whole = static_cast<int64_t>(b);  // in range by now
  if (a != whole) return a < whole ? -1 : 1;
  const double fraction = b - static_cast<double>(whole);
  return fraction > 0 ? -1 : fraction < 0;
}

namespace {

// Maps a double to an integer of the same total order: -0.0 below 0.0, NaN equal to itself and on
// top.
int64_t OrderedBits(double value) {
  const auto bits =
      std::bit_cast<int64_t>(value != value ? std::bit_cast<double>(0x7ff8000000000000) : value);
  return bits ^ static_cast<int64_t>(static_cast<uint64_t>(bits >> 63) >> 1);
}

template <class Sign>
FunctionPtr BySign(Comparison comparison, Sign sign_of) {
  // One lambda a comparison, so that the loop knows it at compile time.
  const auto make = [&](auto test) {
    return MakeFunction(
        DataType::kBoolean, [sign_of, test](Vectors arguments, size_t rows,
                                            const EvaluationContext&, ColumnVector& out) {
          sign_of(arguments, rows,
                  [&](size_t row, auto a, auto b) { out.values<int32_t>()[row] = test(a, b); });
          return Status::Ok();
        });
  };
  switch (comparison) {
    case Comparison::kEqual:
      return make([](auto a, auto b) { return a == b; });
    case Comparison::kNotEqual:
      return make([](auto a, auto b) { return a != b; });
    case Comparison::kLess:
      return make([](auto a, auto b) { return a < b; });
    case Comparison::kLessOrEqual:
      return make([](auto a, auto b) { return a <= b; });
    case Comparison::kGreater:
      return make([](auto a, auto b) { return a > b; });
    case Comparison::kGreaterOrEqual:
      break;
  }
  return make([](auto a, auto b) { return a >= b; });
}

template <class T>
FunctionPtr CompareIntegers(Comparison comparison) {
  return BySign(comparison, [](Vectors arguments, size_t rows, auto emit) {
    const Operand<T> a(*arguments[0]), b(*arguments[1]);
    for (size_t row = 0; row < rows; ++row) emit(row, a[row], b[row]);
  });
}

FunctionPtr CompareDoubles(Comparison comparison) {
  return BySign(comparison, [](Vectors arguments, size_t rows, auto emit) {
    const Operand<double> a(*arguments[0]), b(*arguments[1]);
    for (size_t row = 0; row < rows; ++row) emit(row, OrderedBits(a[row]), OrderedBits(b[row]));
  });
}

FunctionPtr CompareLongsWithDoubles(Comparison comparison, bool long_is_left) {
  return BySign(comparison, [long_is_left](Vectors arguments, size_t rows, auto emit) {
    const Operand<int64_t> a(*arguments[long_is_left ? 0 : 1]);
    const Operand<double> b(*arguments[long_is_left ? 1 : 0]);
    const int sign = long_is_left ? 1 : -1;
    for (size_t row = 0; row < rows; ++row)
      emit(row, sign * CompareLongWithDouble(a[row], b[row]), 0);
  });
}

FunctionPtr CompareTexts(Comparison comparison) {
  const bool equality = comparison == Comparison::kEqual || comparison == Comparison::kNotEqual;
  if (equality) {
    return BySign(comparison, [](Vectors arguments, size_t rows, auto emit) {
      const Operand<std::string_view> a(*arguments[0]), b(*arguments[1]);
      for (size_t row = 0; row < rows; ++row) emit(row, a[row], b[row]);
    });
  }
  return BySign(comparison, [](Vectors arguments, size_t rows, auto emit) {
    const Operand<std::string_view> a(*arguments[0]), b(*arguments[1]);
    for (size_t row = 0; row < rows; ++row) emit(row, CompareUtf16(a[row], b[row]), 0);
  });
}

FunctionPtr CompareBytes(Comparison comparison) {
  return BySign(comparison, [](Vectors arguments, size_t rows, auto emit) {
    const RowReader<std::string_view> a(*arguments[0]), b(*arguments[1]);
    for (size_t row = 0; row < rows; ++row)
      emit(row, a[row], b[row]);  // unsigned, shorter prefix first
  });
}

// Decimals, and text against numbers: text that is no number makes every comparison false.
FunctionPtr CompareDecimals(Comparison comparison) {
  return MakeFunction(
      DataType::kBoolean,
      [comparison](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) {
        const DecimalOperand a(*arguments[0]), b(*arguments[1]);
        for (size_t row = 0; row < rows; ++row) {
          const Result<BigDecimal> x = a[row];
          const Result<BigDecimal> y = b[row];
          bool result = false;
          if (x.ok() && y.ok()) {
            const int sign = x->Compare(*y);
            result = comparison == Comparison::kEqual         ? sign == 0
                     : comparison == Comparison::kNotEqual    ? sign != 0
                     : comparison == Comparison::kLess        ? sign < 0
                     : comparison == Comparison::kGreater     ? sign > 0
                     : comparison == Comparison::kLessOrEqual ? sign <= 0
                                                              : sign >= 0;
          }
          out.values<int32_t>()[row] = result;
        }
        return Status::Ok();
      });
}

// Finished aggregates of different types are compared as doubles, equality with Pinot's tolerance.
FunctionPtr CompareLoosely(Comparison comparison) {
  return BySign(comparison, [](Vectors arguments, size_t rows, auto emit) {
    constexpr double kTolerance = 1e-7;
    const Operand<double> a(*arguments[0]), b(*arguments[1]);
    for (size_t row = 0; row < rows; ++row) {
      const double x = a[row];
      const double y = b[row];
      emit(row, std::fabs(x - y) < kTolerance ? y : x, y);
    }
  });
}

FunctionPtr CompareMixedDoubles(Comparison comparison) {
  return BySign(comparison, [](Vectors arguments, size_t rows, auto emit) {
    const Operand<double> a(*arguments[0]), b(*arguments[1]);
    for (size_t row = 0; row < rows; ++row) emit(row, a[row], b[row]);
  });
}

DataType Stored(DataType type) {
  if (type == DataType::kBoolean) return DataType::kInt;
  if (type == DataType::kTimestamp) return DataType::kLong;
  return type == DataType::kJson ? DataType::kString : type;
}

Result<FunctionPtr> ResolveByType(Comparison comparison, const Call& call) {
  const DataType a = Stored(call.type(0));
  const DataType b = Stored(call.type(1));
  if (a == b || a == DataType::kUnknown || b == DataType::kUnknown) {
    switch (a == DataType::kUnknown ? b : a) {
      case DataType::kInt:
        return CompareIntegers<int32_t>(comparison);
      case DataType::kLong:
        return CompareIntegers<int64_t>(comparison);
      case DataType::kFloat:
      case DataType::kDouble:
        return CompareDoubles(comparison);
      case DataType::kBigDecimal:
        return CompareDecimals(comparison);
      case DataType::kBytes:
      case DataType::kUuid:
        return CompareBytes(comparison);
      case DataType::kString:
      case DataType::kUnknown:
        return CompareTexts(comparison);
      default:
        return call.Unsuitable();
    }
  }
  const auto number_or_text = [](DataType type) {
    return IsNumeric(type) || type == DataType::kString;
  };
  if (!number_or_text(a) || !number_or_text(b)) return call.Unsuitable();
  if (call.layer == Layer::kScalar && IsNumeric(a) && IsNumeric(b)) {
    const bool equality = comparison == Comparison::kEqual || comparison == Comparison::kNotEqual;
    return equality ? CompareLoosely(comparison) : CompareMixedDoubles(comparison);
  }
  if (a == DataType::kBigDecimal || b == DataType::kBigDecimal || a == DataType::kString ||
      b == DataType::kString) {
    return CompareDecimals(comparison);
  }
  if (IsIntegral(a) && IsIntegral(b)) return CompareIntegers<int64_t>(comparison);
  if (a == DataType::kLong) return CompareLongsWithDoubles(comparison, true);
  if (b == DataType::kLong) return CompareLongsWithDoubles(comparison, false);
  return CompareDoubles(comparison);
}

// Calls `inner` with one argument replaced by a constant of another type.
class WithLiteral final : public Function {
 public:
  WithLiteral(FunctionPtr inner, size_t position, Value literal)
      : Function(inner->result_type()),
        inner_(std::move(inner)),
        position_(position),
        literal_(std::move(literal)) {}
  Status Evaluate(Vectors arguments, size_t rows, const EvaluationContext& context,
                  ColumnVector& out) const override {
    const ColumnVector constant = ColumnVector::Constant(literal_, rows);
    std::vector<const ColumnVector*> replaced(arguments.begin(), arguments.end());
    replaced[position_] = &constant;
    return inner_->Evaluate(replaced, rows, context, out);
  }

 private:
  FunctionPtr inner_;
  size_t position_;
  Value literal_;
};

// Whether a literal is read as text in the column's type. Numbers against numbers are compared
// exactly instead, but a FLOAT column sees 0.1 as 0.1f.
bool TakesColumnType(DataType column, DataType literal) {
  if (column == literal || column == DataType::kUnknown) return false;
  if (column == DataType::kFloat) return literal == DataType::kDouble || !IsNumeric(literal);
  if (IsNumeric(column)) return !IsNumeric(literal);
  return true;
}

}  // namespace

Result<FunctionPtr> ResolveComparison(Comparison comparison, const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  for (size_t i = 0; i < 2; ++i) {
    const Value* literal = call.literal(i);
    if (literal == nullptr || call.literal(1 - i) != nullptr ||
        !TakesColumnType(call.type(1 - i), literal->type())) {
      continue;
    }
    TRELLIS_ASSIGN_OR_RETURN(const Value parsed,
                             ParseValue(ValueToText(*literal), call.type(1 - i)));
    Argument arguments[2] = {call.arguments[0], call.arguments[1]};
    arguments[i] = {parsed.value_type(), &parsed};
    TRELLIS_ASSIGN_OR_RETURN(FunctionPtr inner,
                             ResolveByType(comparison, Call{call.name, arguments, call.layer}));
    return FunctionPtr(std::make_shared<WithLiteral>(std::move(inner), i, parsed));
  }
  return ResolveByType(comparison, call);
}

void RegisterComparison(Registry& registry) {
  const auto add = [&registry](std::initializer_list<const char*> names, Comparison comparison) {
    registry.Add(names, Folding::kAllowed,
                 [comparison](const Call& call) { return ResolveComparison(comparison, call); });
  };
  add({"equals"}, Comparison::kEqual);
  add({"not_equals"}, Comparison::kNotEqual);
  add({"less_than"}, Comparison::kLess);
  add({"less_than_or_equal"}, Comparison::kLessOrEqual);
  add({"greater_than"}, Comparison::kGreater);
  add({"greater_than_or_equal"}, Comparison::kGreaterOrEqual);
}

}  // namespace trellis::eval
