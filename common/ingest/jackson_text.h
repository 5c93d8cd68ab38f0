#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::ingest {

enum class NumberKind : uint8_t { kNone, kInteger, kFraction };

// Whether the whole of `text` is a JSON number, and which.
NumberKind ClassifyNumber(std::string_view text);

// A decimal as digits * 10^-scale: no leading or trailing zeros, zero is {"0", 0}.
struct DecimalDigits {
  bool negative = false;
  std::string digits;
  int64_t scale = 0;
};
// Of decimal text with an optional sign, point and exponent; nullopt for anything else and for
// exponents beyond a billion.
std::optional<DecimalDigits> ParseDecimal(std::string_view text);
// Java's BigDecimal.toString: plain, or `1E+2` where the scale is negative or the number small.
std::string JavaDecimalText(const DecimalDigits& decimal);

// Replaces JSON's escapes in `content`, the text between the quotes, and appends it to `out`. Half
// of a surrogate pair becomes '?', as Java writes it. False when an escape is none.
bool AppendUnescaped(std::string_view content, std::string& out);

// How JSON text is written anew (format notes 6.2), so that equal values are equal text: no blanks,
// the last of equal keys at the place of the first, numbers and escapes in one form.
struct JsonForm {
  // Fractions as Java's BigDecimal without trailing zeros, else as Java's double ("1.0E10",
  // "Infinity" in quotes where it does not fit one).
  bool decimals = false;
  bool sort_keys = false;             // by UTF-16 unit, on every level
  bool escape_supplementary = false;  // characters past U+FFFF in values as two \uXXXX
};
// What Pinot stores of a JSON column that was given an object or list, or text, and of MAP values.
inline constexpr JsonForm kJsonOfValue{};
inline constexpr JsonForm kJsonOfText{.decimals = true};
inline constexpr JsonForm kJsonOfMapValue{.sort_keys = true, .escape_supplementary = true};

inline constexpr int kJsonDepthMax = 1000;  // Jackson's own limit

enum class JsonVerdict : uint8_t { kOk, kInvalid, kTooDeep };

// Appends the first JSON value of `text`, which is UTF-8, in `form` to `out`; text behind the value
// is not looked at unless `whole`, which refuses it. After a failure `out` holds a part.
JsonVerdict AppendJson(std::string_view text, const JsonForm& form, bool whole, std::string& out);
// Appends `text` as one JSON string in quotes.
void AppendQuoted(std::string_view text, bool escape_supplementary, std::string& out);

struct JsonMember {
  std::string key;    // without escapes
  std::string value;  // JSON text
};
// Reads the object that `text` is into `members`, in their order, each value in `form`; equal keys
// are kept apart. kInvalid also when it is no object.
JsonVerdict ReadJsonObject(std::string_view text, const JsonForm& form,
                           std::vector<JsonMember>& members);

}  // namespace trellis::ingest
