#include <cmath>
#include <numbers>

#include "common/eval/cast.h"
#include "common/eval/decimal_math.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"
#include "common/types/text_order.h"

namespace trellis::eval {
namespace {

Status CheckNumbers(const Call& call, size_t count) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(count, count));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  for (size_t i = 0; i < call.size(); ++i) {
    if (!ConvertsToNumber(call.type(i))) return call.Unsuitable();
  }
  return Status::Ok();
}

// DOUBLE f(DOUBLE); a BIG_DECIMAL argument is refused, as Pinot does.
template <class F>
void AddUnary(Registry& registry, std::initializer_list<const char*> names, F f) {
  registry.Add(names, Folding::kAllowed, [f](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(CheckNumbers(call, 1));
    if (call.type(0) == DataType::kBigDecimal && call.layer == Layer::kTransform)
      return call.Unsuitable();
    return MakeFunction(DataType::kDouble, [f](Vectors arguments, size_t rows,
                                               const EvaluationContext&, ColumnVector& out) {
      const Operand<double> x(*arguments[0]);
      std::vector<double>& to = out.values<double>();
      for (size_t row = 0; row < rows; ++row) to[row] = f(x[row]);
      return Status::Ok();
    });
  });
}

template <class F>
void AddBinary(Registry& registry, std::initializer_list<const char*> names, F f) {
  registry.Add(names, Folding::kAllowed, [f](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(CheckNumbers(call, 2));
    return MakeFunction(DataType::kDouble, [f](Vectors arguments, size_t rows,
                                               const EvaluationContext&, ColumnVector& out) {
      const Operand<double> a(*arguments[0]), b(*arguments[1]);
      std::vector<double>& to = out.values<double>();
      for (size_t row = 0; row < rows; ++row) to[row] = f(a[row], b[row]);
      return Status::Ok();
    });
  });
}

// DOUBLE, or BIG_DECIMAL for one.
template <class F, class D>
void AddUnaryWithDecimal(Registry& registry, std::initializer_list<const char*> names, F f,
                         D decimal) {
  registry.Add(names, Folding::kAllowed, [f, decimal](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(CheckNumbers(call, 1));
    if (call.type(0) == DataType::kBigDecimal) {
      return MakeFunction(
          DataType::kBigDecimal,
          [decimal](Vectors arguments, size_t rows, const EvaluationContext&,
                    ColumnVector& out) -> Status {
            for (size_t row = 0; row < rows; ++row) {
              TRELLIS_ASSIGN_OR_RETURN(const BigDecimal value, DecimalOperand(*arguments[0])[row]);
              out.values<std::string_view>()[row] = out.arena().Copy(decimal(value).ToBytes());
            }
            return Status::Ok();
          });
    }
    return MakeFunction(DataType::kDouble, [f](Vectors arguments, size_t rows,
                                               const EvaluationContext&, ColumnVector& out) {
      const Operand<double> x(*arguments[0]);
      for (size_t row = 0; row < rows; ++row) out.values<double>()[row] = f(x[row]);
      return Status::Ok();
    });
  });
}

// Java's Math.pow differs from C's where the base is 1 or -1 and the exponent is no finite number.
double JavaPow(double base, double exponent) {
  if (std::isnan(exponent) || (std::isinf(exponent) && std::fabs(base) == 1)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::pow(base, exponent);
}

double Signum(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }

// The type of least and greatest: one type stays; decimals win; any floating number gives DOUBLE.
Result<DataType> ExtremeType(const Call& call) {
  DataType common = call.type(0);
  for (size_t i = 1; i < call.size(); ++i) {
    const DataType type = call.type(i);
    if (type == common || type == DataType::kUnknown) continue;
    if (common == DataType::kUnknown) {
      common = type;
      continue;
    }
    if (!IsNumeric(type) || !IsNumeric(common)) return call.Unsuitable();
    if (type == DataType::kBigDecimal || common == DataType::kBigDecimal) {
      common = DataType::kBigDecimal;
    } else {
      common = IsFloating(type) || IsFloating(common) ? DataType::kDouble : DataType::kLong;
    }
  }
  if (IsNumeric(common) || common == DataType::kTimestamp || common == DataType::kString)
    return common;
  return call.Unsuitable();
}

// Whether `candidate` replaces `best`. A NaN wins both ways, as in Java's Math.min and Math.max.
template <class T>
bool Replaces(T candidate, T best, bool greatest, DataType type) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    int sign = 0;
    if (type == DataType::kBigDecimal) {
      const auto a = BigDecimal::FromBytes(candidate);
      const auto b = BigDecimal::FromBytes(best);
      sign = a.ok() && b.ok() ? a->Compare(*b) : 0;
    } else {
      sign = CompareUtf16(candidate, best);
    }
    return greatest ? sign > 0 : sign < 0;
  } else {
    if (candidate != candidate) return true;
    return greatest ? candidate > best : candidate < best;
  }
}

Resolver Extreme(bool greatest) {
  return [greatest](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 1000));
    TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
    TRELLIS_ASSIGN_OR_RETURN(const DataType type, ExtremeType(call));
    return MakeFunction(type, [greatest, type](Vectors arguments, size_t rows,
                                               const EvaluationContext&, ColumnVector& out) {
      WithPhysical(PhysicalOf(type), [&](auto tag) {
        using T = decltype(tag);
        std::vector<T>& to = out.values<T>();
        for (size_t i = 0; i < arguments.size(); ++i) {
          ColumnVector scratch;
          const ColumnVector& converted = ConvertTo(*arguments[i], type, scratch);
          const RowReader<T> from(converted);
          for (size_t row = 0; row < rows; ++row) {
            if (i == 0 || Replaces<T>(from[row], to[row], greatest, type)) to[row] = from[row];
          }
          out.KeepAllOf(converted);
        }
      });
      return Status::Ok();
    });
  };
}

void RegisterTrigonometry(Registry& registry) {
  AddUnary(registry, {"sin"}, [](double x) { return std::sin(x); });
  AddUnary(registry, {"cos"}, [](double x) { return std::cos(x); });
  AddUnary(registry, {"tan"}, [](double x) { return std::tan(x); });
  AddUnary(registry, {"cot"}, [](double x) { return 1.0 / std::tan(x); });
  AddUnary(registry, {"asin"}, [](double x) { return std::asin(x); });
  AddUnary(registry, {"acos"}, [](double x) { return std::acos(x); });
  AddUnary(registry, {"atan"}, [](double x) { return std::atan(x); });
  AddUnary(registry, {"sinh"}, [](double x) { return std::sinh(x); });
  AddUnary(registry, {"cosh"}, [](double x) { return std::cosh(x); });
  AddUnary(registry, {"tanh"}, [](double x) { return std::tanh(x); });
  AddUnary(registry, {"cbrt"}, [](double x) { return std::cbrt(x); });
  AddUnary(registry, {"degrees"}, [](double x) { return x * (180.0 / std::numbers::pi); });
  AddUnary(registry, {"radians"}, [](double x) { return x * (std::numbers::pi / 180.0); });
  AddBinary(registry, {"atan2"}, [](double y, double x) { return std::atan2(y, x); });
  AddBinary(registry, {"hypot"}, [](double a, double b) { return std::hypot(a, b); });
}

}  // namespace

void RegisterMath(Registry& registry) {
  AddUnaryWithDecimal(
      registry, {"abs"}, [](double x) { return std::fabs(x); },
      [](const BigDecimal& value) {
        return BigDecimal(BigDecimal::Integer(boost::multiprecision::abs(value.unscaled())),
                          value.scale());
      });
  AddUnaryWithDecimal(
      registry, {"ceil", "ceiling"}, [](double x) { return std::ceil(x); },
      [](const BigDecimal& value) { return RoundToScale(value, 0, Rounding::kCeiling); });
  AddUnaryWithDecimal(
      registry, {"floor"}, [](double x) { return std::floor(x); },
      [](const BigDecimal& value) { return RoundToScale(value, 0, Rounding::kFloor); });
  AddUnary(registry, {"exp"}, [](double x) { return std::exp(x); });
  AddUnary(registry, {"ln", "log"}, [](double x) { return std::log(x); });
  AddUnary(registry, {"log2"}, [](double x) { return std::log(x) / std::log(2.0); });
  AddUnary(registry, {"log10"}, [](double x) { return std::log10(x); });
  AddUnary(registry, {"sqrt"}, [](double x) { return std::sqrt(x); });
  AddUnary(registry, {"sign"}, Signum);
  AddBinary(registry, {"power", "pow"}, JavaPow);
  RegisterTrigonometry(registry);
  registry.Add({"least"}, Folding::kAllowed, Extreme(false));
  registry.Add({"greatest"}, Folding::kAllowed, Extreme(true));
}

}  // namespace trellis::eval
