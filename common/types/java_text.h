#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trellis {

// Java's Double.toString / Float.toString of JDK 19 and later: shortest digits that round-trip,
// `1.0E10` from 1e7 up and below 1e-3, always a '.', `NaN`, `Infinity`, `-Infinity`.
std::string JavaDoubleText(double value);
std::string JavaFloatText(float value);

// Java's Double.parseDouble / Float.parseFloat for decimal text: surrounding blanks allowed, `NaN`,
// `Infinity`, an optional d/f suffix. nullopt when it is not a number.
std::optional<double> ParseJavaDouble(std::string_view text);
std::optional<float> ParseJavaFloat(std::string_view text);
// Java's Integer.parseInt / Long.parseLong: an optional sign, decimal digits, nothing else, in
// range.
std::optional<int32_t> ParseJavaInt(std::string_view text);
std::optional<int64_t> ParseJavaLong(std::string_view text);

// Java's narrowing casts (double)->(int/long): toward zero, saturating, NaN gives 0.
int32_t JavaDoubleToInt(double value);
int64_t JavaDoubleToLong(double value);

// Lower-case hex, and back: even length, any case; nullopt otherwise.
std::string HexText(std::string_view bytes);
std::optional<std::string> ParseHex(std::string_view hex);

}  // namespace trellis
