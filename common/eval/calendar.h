#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/eval/time_zone.h"

namespace trellis::eval {

// The proleptic Gregorian calendar on epoch milliseconds, weeks by ISO 8601. Private to this room.

inline constexpr int64_t kSecondMs = 1000;
inline constexpr int64_t kMinuteMs = 60 * kSecondMs;
inline constexpr int64_t kHourMs = 60 * kMinuteMs;
inline constexpr int64_t kDayMs = 24 * kHourMs;

constexpr int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
// REQUIRES: b > 0.
constexpr int64_t FloorModulo(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }
// Java's wrapping sum and its wrapping and saturating products: the default null of a LONG column
// is -2^63.
constexpr int64_t WrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t WrappingMultiply(int64_t a, int64_t b);
int64_t SaturatingMultiply(int64_t a, int64_t b);

enum class CalendarUnit : uint8_t {
  kMillisecond,
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear
};
// `day`, in any case, singular.
std::optional<CalendarUnit> ParseCalendarUnit(std::string_view name);

// The start of the unit that holds `epoch_ms` on the zone's wall clock.
int64_t FloorTo(CalendarUnit unit, int64_t epoch_ms, const Zone& zone);
// UTC; months, quarters and years clamp the day of the month. Wraps far outside the calendar.
int64_t AddUnits(CalendarUnit unit, int64_t count, int64_t epoch_ms);
// Complete units from a to b in UTC, toward zero.
int64_t UnitsBetween(CalendarUnit unit, int64_t a, int64_t b);

enum class DateField : uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kDayOfWeek,
  kDayOfYear,
  kYearOfWeek,
  kHour,
  kMinute,
  kSecond,
  kMillisecond
};
int64_t FieldOf(DateField field, int64_t local_ms);

// java.util.concurrent.TimeUnit, and beyond it the calendar's WEEKS, MONTHS and YEARS.
enum class TimeUnit : uint8_t {
  kNanoseconds,
  kMicroseconds,
  kMilliseconds,
  kSeconds,
  kMinutes,
  kHours,
  kDays,
  kWeeks,
  kMonths,
  kYears
};
// `MILLISECONDS`, in any case.
std::optional<TimeUnit> ParseTimeUnit(std::string_view name);
// TimeUnit's conversions: toward zero to a coarser unit, saturating to a finer one. For weeks,
// months and years: complete ones since 1970-01-01 UTC, only from milliseconds.
int64_t ToMilliseconds(int64_t value, TimeUnit unit);
int64_t FromMilliseconds(int64_t epoch_ms, TimeUnit unit);
// The same between two time units without a detour over milliseconds.
int64_t ConvertUnit(int64_t value, TimeUnit from, TimeUnit to);

}  // namespace trellis::eval
