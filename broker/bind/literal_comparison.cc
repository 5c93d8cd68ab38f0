#include "broker/bind/literal_comparison.h"

#include <cmath>
#include <limits>

namespace trellis::broker {
namespace {

FoldedComparison Constant(bool value) { return {value, Comparison::kEqual, {}}; }

// The answer for every x when the literal lies above (or below) all of x's type.
FoldedComparison OutOfRange(Comparison comparison, bool literal_above) {
  switch (comparison) {
    case Comparison::kEqual:
      return Constant(false);
    case Comparison::kNotEqual:
      return Constant(true);
    case Comparison::kLess:
    case Comparison::kLessOrEqual:
      return Constant(literal_above);
    default:
      return Constant(!literal_above);
  }
}

Value IntegerOf(DataType type, int64_t v) {
  return type == DataType::kInt ? Value::Int(static_cast<int32_t>(v)) : Value::Long(v);
}

// DOUBLE literal against an INT or LONG x.
FoldedComparison FoldDouble(DataType type, Comparison comparison, double literal) {
  if (std::isnan(literal)) return Constant(comparison == Comparison::kNotEqual);
  const double limit = type == DataType::kInt ? 2147483648.0 : 9223372036854775808.0;
  if (literal >= limit) return OutOfRange(comparison, true);
  if (literal < -limit) return OutOfRange(comparison, false);
  const double whole = std::trunc(literal);
  const Value value = IntegerOf(type, static_cast<int64_t>(whole));
  if (whole == literal) return {std::nullopt, comparison, value};
  // Truncation went toward zero: the literal lies just above `whole` when positive, just below when
  // negative.
  const bool above = literal > whole;
  switch (comparison) {
    case Comparison::kEqual:
      return Constant(false);
    case Comparison::kNotEqual:
      return Constant(true);
    case Comparison::kGreater:
    case Comparison::kGreaterOrEqual:
      return {std::nullopt, above ? Comparison::kGreater : Comparison::kGreaterOrEqual, value};
    default:
      return {std::nullopt, above ? Comparison::kLessOrEqual : Comparison::kLess, value};
  }
}

// INT or LONG literal against a FLOAT or DOUBLE x, exactly even where the literal has too many
// digits.
template <class F>
FoldedComparison FoldInteger(Comparison comparison, int64_t literal, Value rounded, F as_floating) {
  // Compare the rounding with the literal without leaving 64 bits: 2^63 itself rounds from above
  // only.
  const auto wide = static_cast<long double>(as_floating);
  const auto exact = static_cast<long double>(literal);
  if (wide == exact) return {std::nullopt, comparison, std::move(rounded)};
  const bool rounded_up = wide > exact;
  switch (comparison) {
    case Comparison::kEqual:
      return Constant(false);
    case Comparison::kNotEqual:
      return Constant(true);
    case Comparison::kGreater:
    case Comparison::kGreaterOrEqual:
      return {std::nullopt, rounded_up ? Comparison::kGreaterOrEqual : Comparison::kGreater,
              std::move(rounded)};
    default:
      return {std::nullopt, rounded_up ? Comparison::kLess : Comparison::kLessOrEqual,
              std::move(rounded)};
  }
}

bool IsInteger(DataType type) { return type == DataType::kInt || type == DataType::kLong; }

}  // namespace

Result<Value> ConvertLiteral(const Value& literal, DataType type) {
  if (literal.type() == type) return literal;
  return ParseValue(ValueToText(literal), type);
}

Result<FoldedComparison> FoldComparison(DataType type, Comparison comparison,
                                        const Value& literal) {
  const DataType from = literal.type();
  if (IsInteger(type) && from == DataType::kLong) {
    const int64_t v = literal.int64();
    if (type == DataType::kInt && v > std::numeric_limits<int32_t>::max())
      return OutOfRange(comparison, true);
    if (type == DataType::kInt && v < std::numeric_limits<int32_t>::min())
      return OutOfRange(comparison, false);
    return FoldedComparison{std::nullopt, comparison, IntegerOf(type, v)};
  }
  if (IsInteger(type) && from == DataType::kDouble)
    return FoldDouble(type, comparison, literal.float64());
  if (type == DataType::kFloat && IsInteger(from)) {
    const auto v = static_cast<float>(literal.AsLong());
    return FoldInteger(comparison, literal.AsLong(), Value::Float(v), v);
  }
  if (type == DataType::kDouble && IsInteger(from)) {
    const auto v = static_cast<double>(literal.AsLong());
    return FoldInteger(comparison, literal.AsLong(), Value::Double(v), v);
  }
  if (type == DataType::kFloat && from == DataType::kDouble) {
    const double v = literal.float64();
    if (v > std::numeric_limits<float>::max()) return OutOfRange(comparison, true);
    if (v < -std::numeric_limits<float>::max()) return OutOfRange(comparison, false);
  }
  TRELLIS_ASSIGN_OR_RETURN(Value value, ConvertLiteral(literal, type));
  return FoldedComparison{std::nullopt, comparison, std::move(value)};
}

}  // namespace trellis::broker
