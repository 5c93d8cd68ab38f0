// SUMPRECISION: an exact decimal sum, printed. Travels as BIG_DECIMAL's stored bytes (format
// notes 3.5).
#include <cstdlib>

#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"
#include "common/aggregate/parameter.h"
#include "common/types/big_decimal.h"
#include "common/types/java_text.h"

namespace trellis::aggregate {
namespace {

constexpr int64_t kPrecisionMax = 10'000;
constexpr int kScaleMax = 10'000;
constexpr unsigned kSumLimbsMax = 1'000;  // of 64 bits: BIG_DECIMAL bytes are at most 8,192

struct DecimalCell {
  BigDecimal sum;
  __int128 integers = 0;  // INT and LONG inputs, kept apart from the slow sum
  bool any = false;

  bool empty() const { return !any; }
  BigDecimal Total() const {
    return integers == 0 ? sum : sum.Add(BigDecimal(BigDecimal::Integer(integers), 0));
  }
  void Encode(std::string& out) const { out += Total().ToBytes(); }
  Status MergeEncoded(ByteView bytes, HeapOnly&) {
    TRELLIS_ASSIGN_OR_RETURN(const BigDecimal other, BigDecimal::FromBytes(AsText(bytes)));
    return Add(other);
  }
  // Errors: Corrupt for a value that would make the sum too large to travel as BIG_DECIMAL bytes.
  Status Add(const BigDecimal& value) {
    if (std::abs(value.scale()) > kScaleMax) {
      return Status::Corrupt("BIG_DECIMAL of scale {}, at most {}", value.scale(), kScaleMax);
    }
    BigDecimal next = sum.Add(value);
    if (next.unscaled().backend().size() > kSumLimbsMax) {
      return Status::Corrupt("sum of BIG_DECIMALs has more than {} bits", 64 * kSumLimbsMax);
    }
    sum = std::move(next);
    any = true;
    return {};
  }
};

BigDecimal::Integer PowerOfTen(int64_t exponent) {
  return boost::multiprecision::pow(BigDecimal::Integer(10), static_cast<unsigned>(exponent));
}

// Drops `digits` decimal digits, rounding half to even.
BigDecimal Drop(const BigDecimal& value, int digits) {
  const BigDecimal::Integer divisor = PowerOfTen(digits);
  BigDecimal::Integer quotient;
  BigDecimal::Integer remainder;
  boost::multiprecision::divide_qr(value.unscaled(), divisor, quotient, remainder);
  if (remainder.sign() < 0) remainder.backend().negate();
  const int half =
      remainder.compare(BigDecimal::Integer(divisor - remainder));  // <0 below it, 0 on it
  const bool odd = BigDecimal::Integer(quotient % 2) != 0;
  if (half > 0 || (half == 0 && odd)) quotient += value.unscaled() < 0 ? -1 : 1;
  return {quotient, value.scale() - digits};
}

int DigitCount(const BigDecimal& value) {
  const BigDecimal::Integer magnitude = boost::multiprecision::abs(value.unscaled());
  return static_cast<int>(magnitude.str().size());
}

// Java's round(MathContext): at most `precision` significant digits; 0 = as many as there are.
BigDecimal RoundTo(BigDecimal value, int precision) {
  if (precision == 0) return value;
  while (DigitCount(value) > precision) value = Drop(value, DigitCount(value) - precision);
  return value;
}

BigDecimal WithScale(const BigDecimal& value, int scale) {
  if (scale < value.scale()) return Drop(value, value.scale() - scale);
  return {value.unscaled() * PowerOfTen(scale - value.scale()), scale};
}

struct Rounding {
  int precision = 0;
  bool has_scale = false;
  int scale = 0;
};

template <class T>
Result<BigDecimal> DecimalOf(T value, DataType type) {
  if constexpr (std::is_integral_v<T>) {
    return BigDecimal::FromLong(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return BigDecimal::FromText(JavaFloatText(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return BigDecimal::FromText(JavaDoubleText(value));
  } else {
    return IsText(type) ? BigDecimal::FromText(value) : BigDecimal::FromBytes(value);
  }
}

class SumPrecisionStates final : public CellStates<DecimalCell, HeapOnly> {
 public:
  SumPrecisionStates(std::vector<ValueType> arguments, bool null_handling, Rounding rounding)
      : CellStates(std::move(arguments), null_handling, HeapOnly{}), rounding_(rounding) {}

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    const DataType type = arguments_[0].type;
    Status status;
    WithPhysical(arguments[0]->physical(), [&](auto tag) {
      using T = decltype(tag);
      ForEachValue<T>(*arguments[0], rows, null_handling_, [&](size_t group, const T& value) {
        DecimalCell& cell = cells_[group];
        if constexpr (std::is_integral_v<T>) {
          cell.integers += value;
          cell.any = true;
        } else if (status.ok()) {
          const Result<BigDecimal> decimal = DecimalOf(value, type);
          status = decimal.ok() ? cell.Add(*decimal) : decimal.status();
        }
      });
    });
    return status.WithContext("sumprecision").WithPinotCode(PinotCode::kQueryExecution);
  }

  Status Finish(ColumnVector& out) const override {
    return FinishEachBytes(DataType::kString, out, [this](const DecimalCell& cell) {
      BigDecimal total = RoundTo(cell.Total(), rounding_.precision);
      if (rounding_.has_scale) total = WithScale(total, rounding_.scale);
      return total.ToPlainText();
    });
  }

 private:
  Rounding rounding_;
};

}  // namespace

Resolved ResolveSumPrecision(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 2));
  TRELLIS_RETURN_IF_ERROR(RequireSingleValue(spec));
  const DataType type = spec.argument_types[0].type;
  if (!ReadsAsNumber(type) && type != DataType::kString && type != DataType::kBytes) {
    return Status::Query(PinotCode::kQueryValidation, "Cannot compute sumprecision for type: {}",
                         DataTypeName(type));
  }
  Rounding rounding;
  int64_t numbers[2] = {0, 0};
  for (size_t i = 0; i < spec.parameters.size(); ++i) {
    TRELLIS_ASSIGN_OR_RETURN(numbers[i], IntegerParameter(spec, i));
    if (numbers[i] < 0 || numbers[i] > kPrecisionMax) {
      return Status::Query(PinotCode::kQueryValidation,
                           "parameter {} of sumprecision must be from 0 to {}, got {}", i + 1,
                           kPrecisionMax, numbers[i]);
    }
  }
  rounding.precision = static_cast<int>(numbers[0]);
  rounding.has_scale = spec.parameters.size() == 2;
  rounding.scale = static_cast<int>(numbers[1]);
  return MakeFunction<SumPrecisionStates>({DataType::kString, false}, DataType::kBytes,
                                          spec.argument_types, spec.null_handling, rounding);
}

}  // namespace trellis::aggregate
