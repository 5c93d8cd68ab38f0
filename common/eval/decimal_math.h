#pragma once

#include "common/types/big_decimal.h"

namespace trellis::eval {

// Java's BigDecimal operations that types/big_decimal.h does not have. Private to this room.

// Rounds to `scale` digits behind the point.
enum class Rounding : uint8_t { kHalfEven, kHalfUp, kTowardZero, kFloor, kCeiling };
BigDecimal RoundToScale(const BigDecimal& value, int scale, Rounding rounding);

// The quotient with the dividend's scale, HALF_EVEN. REQUIRES: divisor is not zero.
BigDecimal Divide(const BigDecimal& dividend, const BigDecimal& divisor);

}  // namespace trellis::eval
