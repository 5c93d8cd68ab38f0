#include "common/types/java_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "common/base/hex_digit.h"

namespace trellis {
namespace {

// Lays out the shortest digits (from to_chars' scientific form) as Java does.
template <class T>
std::string JavaText(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), std::abs(value),
                           std::chars_format::scientific);
  if (buffer[1] == 'e') {
    // Java looks among decimals of two digits at least, which matters where one digit already
    // identifies the value: 4.9E-324, not 5.0E-324. A second digit of zero is the same decimal.
    char two_digits[64];
    const auto two_end = std::to_chars(two_digits, two_digits + sizeof(two_digits), std::abs(value),
                                       std::chars_format::scientific, 1);
    T read = 0;
    if (two_digits[2] != '0' && std::from_chars(two_digits, two_end.ptr, read).ec == std::errc() &&
        read == std::abs(value)) {
      end.ptr = std::copy(two_digits, two_end.ptr, buffer);
    }
  }
  const std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  const size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (text[1] == '.') digits += text.substr(2, e - 2);
  int exponent = 0;
  std::string_view exponent_text = text.substr(e + 1);
  if (exponent_text.front() == '+') exponent_text.remove_prefix(1);
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  std::string out = value < 0 ? "-" : "";
  const int size = static_cast<int>(digits.size());
  if (exponent >= -3 && exponent < 7) {
    if (exponent < 0)
      return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    if (size <= exponent + 1)
      return out + digits + std::string(static_cast<size_t>(exponent + 1 - size), '0') + ".0";
    return out + digits.substr(0, static_cast<size_t>(exponent + 1)) + "." +
           digits.substr(static_cast<size_t>(exponent + 1));
  }
  return out + digits[0] + "." + (size > 1 ? digits.substr(1) : "0") + "E" +
         std::to_string(exponent);
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

template <class T>
std::optional<T> ParseFloating(std::string_view text) {
  text = TrimBlanks(text);
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  T value;
  if (text == "NaN") {
    value = std::numeric_limits<T>::quiet_NaN();
  } else if (text == "Infinity") {
    value = std::numeric_limits<T>::infinity();
  } else {
    if (!text.empty() && std::string_view("dDfF").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    // from_chars would take "inf", "nan" and nothing of Java's; a number starts with a digit or a
    // point.
    if (text.empty() || !(text.front() == '.' || (text.front() >= '0' && text.front() <= '9')))
      return std::nullopt;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ptr != text.data() + text.size() || text == ".") return std::nullopt;
    if (result.ec == std::errc::result_out_of_range) {
      // Too large or too small: strtod tells which.
      value = static_cast<T>(std::strtod(std::string(text).c_str(), nullptr));
    } else if (result.ec != std::errc()) {
      return std::nullopt;
    }
  }
  return negative ? -value : value;
}

template <class T>
std::optional<T> ParseInteger(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  T value;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class I>
I Narrow(double value) {
  if (std::isnan(value)) return 0;
  if (value >= static_cast<double>(std::numeric_limits<I>::max()))
    return std::numeric_limits<I>::max();
  if (value <= static_cast<double>(std::numeric_limits<I>::min()))
    return std::numeric_limits<I>::min();
  return static_cast<I>(value);
}

}  // namespace

std::string JavaDoubleText(double value) { return JavaText(value); }
std::string JavaFloatText(float value) { return JavaText(value); }
std::optional<double> ParseJavaDouble(std::string_view text) { return ParseFloating<double>(text); }
std::optional<float> ParseJavaFloat(std::string_view text) { return ParseFloating<float>(text); }
std::optional<int32_t> ParseJavaInt(std::string_view text) { return ParseInteger<int32_t>(text); }
std::optional<int64_t> ParseJavaLong(std::string_view text) { return ParseInteger<int64_t>(text); }
int32_t JavaDoubleToInt(double value) { return Narrow<int32_t>(value); }
int64_t JavaDoubleToLong(double value) { return Narrow<int64_t>(value); }

std::string HexText(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::optional<std::string> ParseHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexDigit(hex[i]);
    const int low = HexDigit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace trellis
