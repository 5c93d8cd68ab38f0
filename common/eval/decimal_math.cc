#include "common/eval/decimal_math.h"

namespace trellis::eval {
namespace {

using Integer = BigDecimal::Integer;

Integer PowerOfTen(int exponent) {
  return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(exponent));
}

// numerator / denominator as a whole number. REQUIRES: denominator > 0.
Integer DivideRounded(const Integer& numerator, const Integer& denominator, Rounding rounding) {
  Integer quotient;
  Integer remainder;
  boost::multiprecision::divide_qr(numerator, denominator, quotient, remainder);  // toward zero
  if (remainder == 0) return quotient;
  const bool negative = numerator < 0;
  const Integer twice = boost::multiprecision::abs(remainder) * 2;
  bool away = false;  // whether the magnitude grows by one
  switch (rounding) {
    case Rounding::kHalfEven:
      away = twice > denominator ||
             (twice == denominator &&
              boost::multiprecision::bit_test(Integer(boost::multiprecision::abs(quotient)), 0));
      break;
    case Rounding::kHalfUp:
      away = twice >= denominator;
      break;
    case Rounding::kTowardZero:
      break;
    case Rounding::kFloor:
      away = negative;
      break;
    case Rounding::kCeiling:
      away = !negative;
      break;
  }
  if (away) quotient += negative ? -1 : 1;
  return quotient;
}

}  // namespace

BigDecimal RoundToScale(const BigDecimal& value, int scale, Rounding rounding) {
  if (scale >= value.scale()) return {value.unscaled() * PowerOfTen(scale - value.scale()), scale};
  return {DivideRounded(value.unscaled(), PowerOfTen(value.scale() - scale), rounding), scale};
}

BigDecimal Divide(const BigDecimal& dividend, const BigDecimal& divisor) {
  // dividend.unscaled * 10^divisor.scale / divisor.unscaled is the quotient at the dividend's
  // scale.
  Integer numerator = dividend.unscaled();
  Integer denominator = divisor.unscaled();
  if (divisor.scale() >= 0) {
    numerator *= PowerOfTen(divisor.scale());
  } else {
    denominator *= PowerOfTen(-divisor.scale());
  }
  if (denominator < 0) {
    denominator = -denominator;
    numerator = -numerator;
  }
  return {DivideRounded(numerator, denominator, Rounding::kHalfEven), dividend.scale()};
}

}  // namespace trellis::eval
