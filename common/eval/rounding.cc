#include <cmath>

#include "common/eval/decimal_math.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"
#include "common/types/java_text.h"

namespace trellis::eval {
namespace {

constexpr int64_t kScaleMax = 10'000;

// Rounds the shortest decimal text of a finite `x`, which is what Pinot's BigDecimal.valueOf sees.
double RoundText(double x, int64_t scale, Rounding rounding) {
  const BigDecimal exact = BigDecimal::FromDouble(x);
  if (scale >= exact.scale()) return x;
  if (exact.scale() - scale > kScaleMax) return 0;
  return RoundToScale(exact, static_cast<int>(scale), rounding).ToDouble();
}

// Java's Math.round: half up, saturating to long, NaN gives 0.
double RoundToWhole(double x) {
  const double floor = std::floor(x);
  return static_cast<double>(JavaDoubleToLong(x - floor >= 0.5 ? floor + 1 : floor));
}

Status CheckScaled(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 2));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  if (!ConvertsToNumber(call.type(0))) return call.Unsuitable();
  if (call.size() == 2 && call.type(1) != DataType::kInt && call.type(1) != DataType::kLong)
    return call.Unsuitable();
  return Status::Ok();
}

Result<FunctionPtr> ResolveRoundDecimal(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(CheckScaled(call));
  const bool scaled = call.size() == 2;
  return MakeFunction(DataType::kDouble, [scaled](Vectors arguments, size_t rows,
                                                  const EvaluationContext&, ColumnVector& out) {
    const Operand<double> x(*arguments[0]);
    std::vector<double>& to = out.values<double>();
    if (!scaled) {
      for (size_t row = 0; row < rows; ++row) to[row] = RoundToWhole(x[row]);
      return Status::Ok();
    }
    const Operand<int64_t> scale(*arguments[1]);
    for (size_t row = 0; row < rows; ++row) {
      to[row] = std::isfinite(x[row]) ? RoundText(x[row], scale[row], Rounding::kHalfUp) : x[row];
    }
    return Status::Ok();
  });
}

Result<FunctionPtr> ResolveTruncate(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(CheckScaled(call));
  const bool scaled = call.size() == 2;
  return MakeFunction(DataType::kDouble,
                      [scaled](Vectors arguments, size_t rows, const EvaluationContext& context,
                               ColumnVector& out) -> Status {
                        const Operand<double> x(*arguments[0]);
                        std::vector<double>& to = out.values<double>();
                        if (!scaled) {
                          for (size_t row = 0; row < rows; ++row)
                            to[row] = std::trunc(x[row]) + 0.0;  // never -0.0
                          return Status::Ok();
                        }
                        const Operand<int64_t> scale(*arguments[1]);
                        for (size_t row = 0; row < rows; ++row) {
                          if (!std::isfinite(x[row])) {
                            if (!IsNullRow(arguments, row, context)) {
                              return Status::Query(PinotCode::kQueryExecution, "truncate of {}",
                                                   JavaDoubleText(x[row]));
                            }
                            to[row] = x[row];
                            continue;
                          }
                          to[row] = RoundText(x[row], scale[row], Rounding::kTowardZero);
                        }
                        return Status::Ok();
                      });
}

// Rounds down to a bucket: (x / n) * n with integer division toward zero, not numeric rounding.
Result<FunctionPtr> ResolveRound(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  if (!ConvertsToNumber(call.type(0)) || !ConvertsToNumber(call.type(1))) return call.Unsuitable();
  return MakeFunction(
      DataType::kLong,
      [](Vectors arguments, size_t rows, const EvaluationContext& context,
         ColumnVector& out) -> Status {
        const Operand<int64_t> x(*arguments[0]), bucket(*arguments[1]);
        for (size_t row = 0; row < rows; ++row) {
          const int64_t n = bucket[row];
          if (n == 0 && !IsNullRow(arguments, row, context)) {
            return Status::Query(PinotCode::kQueryExecution, "round to a bucket of 0");
          }
          out.values<int64_t>()[row] = n == 0 ? 0 : n == -1 ? x[row] : x[row] / n * n;
        }
        return Status::Ok();
      });
}

}  // namespace

void RegisterRounding(Registry& registry) {
  registry.Add({"rounddecimal"}, Folding::kAllowed, ResolveRoundDecimal);
  registry.Add({"truncate"}, Folding::kAllowed, ResolveTruncate);
  registry.Add({"round"}, Folding::kAllowed, ResolveRound);
}

}  // namespace trellis::eval
