#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace trellis {

// Java's BigDecimal as far as segments and aggregates need it: unscaled * 10^-scale.
class BigDecimal {
 public:
  using Integer = boost::multiprecision::cpp_int;

  BigDecimal() = default;
  BigDecimal(Integer unscaled, int scale) : unscaled_(std::move(unscaled)), scale_(scale) {}
  static BigDecimal FromLong(int64_t value) { return {Integer(value), 0}; }
  // The exact decimal of Java's shortest text of `value`. REQUIRES: finite.
  static BigDecimal FromDouble(double value);
  // Decimal text with optional sign, point and exponent; at most 10,000 digits and |exponent| <=
  // 10,000.
  static Result<BigDecimal> FromText(std::string_view text);
  // Stored bytes (format notes 3.5): i16 BE scale, then the unscaled value as big-endian two's
  // complement.
  static Result<BigDecimal> FromBytes(std::string_view bytes);

  std::string ToBytes() const;
  // Plain notation without an exponent, the scale kept ("1.10").
  std::string ToPlainText() const;
  double ToDouble() const;
  int Compare(const BigDecimal& other) const;  // by value: 1.0 equals 1.00
  BigDecimal Add(const BigDecimal& other) const;
  BigDecimal Subtract(const BigDecimal& other) const;
  BigDecimal Multiply(const BigDecimal& other) const;

  const Integer& unscaled() const { return unscaled_; }
  int scale() const { return scale_; }

 private:
  Integer unscaled_ = 0;
  int scale_ = 0;
};

}  // namespace trellis
