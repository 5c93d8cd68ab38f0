#include "common/eval/calendar.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "common/base/nearest_name.h"
#include "common/types/timestamp_text.h"

namespace trellis::eval {
namespace {

struct IsoWeek {
  int64_t year;
  int64_t week;
};

// A week belongs to the year of its Thursday.
IsoWeek WeekOf(int64_t days) {
  const int64_t thursday = days - FloorModulo(days + 3, 7) + 3;
  const int64_t year = CivilFromDays(thursday).year;
  return {year, (thursday - DaysFromCivil(year, 1, 1)) / 7 + 1};
}

unsigned DaysInMonth(int64_t year, unsigned month) {
  const int64_t next =
      month == 12 ? DaysFromCivil(year + 1, 1, 1) : DaysFromCivil(year, month + 1, 1);
  return static_cast<unsigned>(next - DaysFromCivil(year, month, 1));
}

int64_t AddMonths(int64_t count, int64_t epoch_ms) {
  const int64_t days = FloorDivide(epoch_ms, kDayMs);
  const CivilDate date = CivilFromDays(days);
  constexpr int64_t kMonthsMax = 12 * 1'000'000'000LL;
  const int64_t months =
      date.year * 12 + date.month - 1 + std::clamp(count, -kMonthsMax, kMonthsMax);
  const int64_t year = FloorDivide(months, 12);
  const auto month = static_cast<unsigned>(FloorModulo(months, 12)) + 1;
  const unsigned day = std::min(date.day, DaysInMonth(year, month));
  return WrappingAdd(WrappingMultiply(DaysFromCivil(year, month, day), kDayMs),
                     FloorModulo(epoch_ms, kDayMs));
}

int64_t MonthsBetween(int64_t a, int64_t b) {
  const CivilDate from = CivilFromDays(FloorDivide(a, kDayMs));
  const CivilDate to = CivilFromDays(FloorDivide(b, kDayMs));
  int64_t months = (to.year - from.year) * 12 + static_cast<int64_t>(to.month) -
                   static_cast<int64_t>(from.month);
  // The estimate may be one too far: an incomplete last month does not count.
  if (months > 0 && AddMonths(months, a) > b) --months;
  if (months < 0 && AddMonths(months, a) < b) ++months;
  return months;
}

int64_t UnitMs(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::kSecond:
      return kSecondMs;
    case CalendarUnit::kMinute:
      return kMinuteMs;
    case CalendarUnit::kHour:
      return kHourMs;
    case CalendarUnit::kDay:
      return kDayMs;
    case CalendarUnit::kWeek:
      return 7 * kDayMs;
    default:
      return 1;
  }
}

int64_t MonthsOf(CalendarUnit unit) {
  if (unit == CalendarUnit::kMonth) return 1;
  if (unit == CalendarUnit::kQuarter) return 3;
  return unit == CalendarUnit::kYear ? 12 : 0;
}

int64_t FloorDate(CalendarUnit unit, int64_t local_ms) {
  const int64_t days = FloorDivide(local_ms, kDayMs);
  const CivilDate date = CivilFromDays(days);
  switch (unit) {
    case CalendarUnit::kWeek:
      return WrappingMultiply(days - FloorModulo(days + 3, 7), kDayMs);
    case CalendarUnit::kMonth:
      return WrappingMultiply(DaysFromCivil(date.year, date.month, 1), kDayMs);
    case CalendarUnit::kQuarter:
      return WrappingMultiply(DaysFromCivil(date.year, (date.month - 1) / 3 * 3 + 1, 1), kDayMs);
    case CalendarUnit::kYear:
      return WrappingMultiply(DaysFromCivil(date.year, 1, 1), kDayMs);
    default:
      return WrappingMultiply(days, kDayMs);
  }
}

// Nanoseconds in a unit up to days.
int64_t UnitNanoseconds(TimeUnit unit) {
  constexpr std::array<int64_t, 7> kNanoseconds = {
      1, 1000, 1'000'000, 1'000'000'000, 60'000'000'000, 3'600'000'000'000, 86'400'000'000'000};
  return kNanoseconds[static_cast<size_t>(unit)];
}

}  // namespace

int64_t WrappingMultiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max()
                            : std::numeric_limits<int64_t>::min();
}

std::optional<CalendarUnit> ParseCalendarUnit(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {
      "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"};
  const auto found = std::find(kNames.begin(), kNames.end(), ToLowerAscii(name));
  if (found == kNames.end()) return std::nullopt;
  return static_cast<CalendarUnit>(found - kNames.begin());
}

int64_t FloorTo(CalendarUnit unit, int64_t epoch_ms, const Zone& zone) {
  const int64_t offset = zone.OffsetMs(epoch_ms);
  const int64_t local = WrappingAdd(epoch_ms, offset);
  if (unit >= CalendarUnit::kDay) return zone.FromLocal(FloorDate(unit, local));
  // Within a repeated hour the same offset is kept.
  return WrappingAdd(local, -FloorModulo(local, UnitMs(unit)) - offset);
}

int64_t AddUnits(CalendarUnit unit, int64_t count, int64_t epoch_ms) {
  if (const int64_t months = MonthsOf(unit))
    return AddMonths(SaturatingMultiply(count, months), epoch_ms);
  return WrappingAdd(epoch_ms, WrappingMultiply(count, UnitMs(unit)));
}

int64_t UnitsBetween(CalendarUnit unit, int64_t a, int64_t b) {
  if (const int64_t months = MonthsOf(unit)) return MonthsBetween(a, b) / months;
  return static_cast<int64_t>(static_cast<uint64_t>(b) - static_cast<uint64_t>(a)) / UnitMs(unit);
}

int64_t FieldOf(DateField field, int64_t local_ms) {
  const int64_t days = FloorDivide(local_ms, kDayMs);
  const int64_t ms = FloorModulo(local_ms, kDayMs);
  switch (field) {
    case DateField::kHour:
      return ms / kHourMs;
    case DateField::kMinute:
      return ms / kMinuteMs % 60;
    case DateField::kSecond:
      return ms / kSecondMs % 60;
    case DateField::kMillisecond:
      return ms % kSecondMs;
    case DateField::kDayOfWeek:
      return FloorModulo(days + 3, 7) + 1;
    case DateField::kWeek:
      return WeekOf(days).week;
    case DateField::kYearOfWeek:
      return WeekOf(days).year;
    default:
      break;
  }
  const CivilDate date = CivilFromDays(days);
  switch (field) {
    case DateField::kYear:
      return date.year;
    case DateField::kQuarter:
      return (date.month - 1) / 3 + 1;
    case DateField::kMonth:
      return date.month;
    case DateField::kDay:
      return date.day;
    default:
      return days - DaysFromCivil(date.year, 1, 1) + 1;
  }
}

std::optional<TimeUnit> ParseTimeUnit(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames = {
      "nanoseconds", "microseconds", "milliseconds", "seconds", "minutes",
      "hours",       "days",         "weeks",        "months",  "years"};
  const auto found = std::find(kNames.begin(), kNames.end(), ToLowerAscii(name));
  if (found == kNames.end()) return std::nullopt;
  return static_cast<TimeUnit>(found - kNames.begin());
}

int64_t ConvertUnit(int64_t value, TimeUnit from, TimeUnit to) {
  const int64_t a = UnitNanoseconds(from);
  const int64_t b = UnitNanoseconds(to);
  return a >= b ? SaturatingMultiply(value, a / b) : value / (b / a);
}

int64_t ToMilliseconds(int64_t value, TimeUnit unit) {
  return ConvertUnit(value, unit, TimeUnit::kMilliseconds);
}

int64_t FromMilliseconds(int64_t epoch_ms, TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kWeeks:
      return UnitsBetween(CalendarUnit::kWeek, 0, epoch_ms);
    case TimeUnit::kMonths:
      return UnitsBetween(CalendarUnit::kMonth, 0, epoch_ms);
    case TimeUnit::kYears:
      return UnitsBetween(CalendarUnit::kYear, 0, epoch_ms);
    default:
      return ConvertUnit(epoch_ms, TimeUnit::kMilliseconds, unit);
  }
}

}  // namespace trellis::eval
