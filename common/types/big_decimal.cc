#include "common/types/big_decimal.h"

#include <charconv>
#include <vector>

#include "common/base/bytes.h"
#include "common/types/java_text.h"

namespace trellis {
namespace {

using Integer = BigDecimal::Integer;

constexpr int kExponentMax = 10'000;  // a decimal of more digits is an attack, not a number

Integer PowerOfTen(int exponent) {
  return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(exponent));
}

// Brings both to the larger scale.
std::pair<Integer, Integer> Align(const BigDecimal& a, const BigDecimal& b) {
  const int scale = std::max(a.scale(), b.scale());
  return {a.unscaled() * PowerOfTen(scale - a.scale()),
          b.unscaled() * PowerOfTen(scale - b.scale())};
}

// Bounds of log10(|value|), a little too wide for rounding.
struct Magnitude {
  double low;
  double high;
};

// REQUIRES: the number is not 0.
Magnitude MagnitudeOf(const BigDecimal& value) {
  constexpr double kLog10Of2 = 0.30102999566398120;
  constexpr double kRounding = 1e-6;
  const Integer magnitude = boost::multiprecision::abs(value.unscaled());
  const double top_bit = boost::multiprecision::msb(magnitude);
  return {top_bit * kLog10Of2 - value.scale() - kRounding,
          (top_bit + 1) * kLog10Of2 - value.scale() + kRounding};
}

}  // namespace

BigDecimal BigDecimal::FromDouble(double value) { return FromText(JavaDoubleText(value)).value(); }

Result<BigDecimal> BigDecimal::FromText(std::string_view text) {
  const std::string_view whole = text;
  const auto bad = [&] {
    return Status::InvalidArgument("'{}' is not a decimal number", whole.substr(0, 64));
  };
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  int exponent = 0;
  if (const size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view tail = text.substr(e + 1);
    if (tail.size() > 1 && tail.front() == '+') tail.remove_prefix(1);
    const auto result = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    if (result.ec != std::errc() || result.ptr != tail.data() + tail.size()) return bad();
    text = text.substr(0, e);
  }
  if (text.size() > kExponentMax || exponent > kExponentMax || exponent < -kExponentMax)
    return bad();
  std::string digits;
  int scale = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      digits += c;
      scale += point;
    } else {
      return bad();
    }
  }
  if (digits.empty()) return bad();
  // A leading 0 would make cpp_int read octal.
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  Integer unscaled(digits);
  if (negative) unscaled = -unscaled;
  return BigDecimal(std::move(unscaled), scale - exponent);
}

Result<BigDecimal> BigDecimal::FromBytes(std::string_view bytes) {
  constexpr size_t kSizeMax = 8192;
  if (bytes.size() < 3 || bytes.size() > kSizeMax) {
    return Status::Corrupt("BIG_DECIMAL of {} bytes, expected 3 to {}", bytes.size(), kSizeMax);
  }
  const ByteView view = AsBytes(bytes);
  const int scale = LoadBigEndian<int16_t>(view.data());
  Integer magnitude;
  boost::multiprecision::import_bits(magnitude, view.begin() + 2, view.end());
  if (view[2] & 0x80) magnitude -= Integer(1) << static_cast<unsigned>(8 * (view.size() - 2));
  return BigDecimal(std::move(magnitude), scale);
}

std::string BigDecimal::ToBytes() const {
  std::string out(2, '\0');
  StoreBigEndian<int16_t>(static_cast<int16_t>(scale_), reinterpret_cast<uint8_t*>(out.data()));
  // Minimal two's complement: the shortest length whose sign bit agrees.
  const bool negative = unscaled_ < 0;
  const Integer magnitude = negative ? Integer(-unscaled_ - 1) : unscaled_;
  const unsigned bits = magnitude == 0 ? 0 : boost::multiprecision::msb(magnitude) + 1;
  const unsigned size = bits / 8 + 1;
  std::vector<uint8_t> bytes;
  boost::multiprecision::export_bits(magnitude, std::back_inserter(bytes), 8);
  std::vector<uint8_t> padded(size - (magnitude == 0 ? 0 : bytes.size()), 0);
  if (magnitude != 0) padded.insert(padded.end(), bytes.begin(), bytes.end());
  for (const uint8_t byte : padded) out += static_cast<char>(negative ? ~byte : byte);
  return out;
}

std::string BigDecimal::ToPlainText() const {
  std::string digits = Integer(boost::multiprecision::abs(unscaled_)).str();
  if (scale_ <= 0) {
    if (unscaled_ != 0) digits += std::string(static_cast<size_t>(-scale_), '0');
  } else {
    const auto scale = static_cast<size_t>(scale_);
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    digits.insert(digits.size() - scale, ".");
  }
  return (unscaled_ < 0 ? "-" : "") + digits;
}

double BigDecimal::ToDouble() const {
  const std::string text = unscaled_.str() + "E" + std::to_string(-scale_);
  return ParseJavaDouble(text).value_or(0);
}

int BigDecimal::Compare(const BigDecimal& other) const {
  if (scale_ == other.scale_) return unscaled_.compare(other.unscaled_);
  const int sign = unscaled_.sign();
  if (sign != other.unscaled_.sign()) return sign < other.unscaled_.sign() ? -1 : 1;
  if (sign == 0) return 0;
  // Scales may lie 65,535 apart, and a number of so many digits is slow to make: magnitudes tell
  // most pairs apart. Those that are left have no more digits when aligned than the longer one has.
  const Magnitude mine = MagnitudeOf(*this);
  const Magnitude theirs = MagnitudeOf(other);
  if (mine.high < theirs.low) return -sign;
  if (theirs.high < mine.low) return sign;
  const auto [a, b] = Align(*this, other);
  return a.compare(b);
}

BigDecimal BigDecimal::Add(const BigDecimal& other) const {
  const auto [a, b] = Align(*this, other);
  return {a + b, std::max(scale_, other.scale_)};
}

BigDecimal BigDecimal::Subtract(const BigDecimal& other) const {
  const auto [a, b] = Align(*this, other);
  return {a - b, std::max(scale_, other.scale_)};
}

BigDecimal BigDecimal::Multiply(const BigDecimal& other) const {
  return {unscaled_ * other.unscaled_, scale_ + other.scale_};
}

}  // namespace trellis
