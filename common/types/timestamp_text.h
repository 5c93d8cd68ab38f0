#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trellis {

// `yyyy-MM-dd HH:mm:ss.f` in UTC: the fraction without trailing zeros but at least one digit.
std::string TimestampText(int64_t epoch_ms);

// Epoch milliseconds of the forms in pinot-functions.md 3.1, tried in that order, zone-less ones in
// UTC: `yyyy-M-d h:m:s[.f]`, plain integer milliseconds, ISO with or without offset, date only.
std::optional<int64_t> ParseTimestampText(std::string_view text);

// Days since 1970-01-01 of a proleptic Gregorian date, and back. Months 1..12, days 1..31.
int64_t DaysFromCivil(int64_t year, unsigned month, unsigned day);
struct CivilDate {
  int64_t year;
  unsigned month;
  unsigned day;
};
CivilDate CivilFromDays(int64_t days);

}  // namespace trellis
