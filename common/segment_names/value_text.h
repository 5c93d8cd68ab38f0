#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>

// The text of values, written forward without allocation. Each returns the end of what it wrote and
// may write up to kTextSlack bytes past it.
namespace trellis::segment_names {

inline constexpr size_t kTextSlack = 16;

namespace tables {
// "000".."999", each with a fourth byte that is not used.
inline constexpr auto kThreeDigits = [] {
  std::array<std::array<char, 4>, 1000> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = {static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                static_cast<char>('0' + i % 10), 0};
  }
  return table;
}();
inline constexpr auto kTwoDigits = [] {
  std::array<std::array<char, 2>, 100> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
  }
  return table;
}();
inline constexpr auto kHexDigits = [] {
  std::array<std::array<char, 2>, 256> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = {"0123456789abcdef"[i / 16], "0123456789abcdef"[i % 16]};
  }
  return table;
}();
}  // namespace tables

// Copies `size` bytes in steps of 16. REQUIRES: kTextSlack bytes readable and writable behind both;
// the `size` bytes do not overlap (what is copied too much may: hence memmove).
inline void CopyText(char* to, const char* from, size_t size) {
  size_t done = 0;
  do {
    std::memmove(to + done, from + done, 16);
    done += 16;
  } while (done < size);
}

inline char* PutTwoDigits(uint32_t value, char* to) {
  std::memcpy(to, tables::kTwoDigits[value].data(), 2);
  return to + 2;
}
inline char* PutThreeDigits(uint32_t value, char* to) {
  std::memcpy(to, tables::kThreeDigits[value].data(), 4);
  return to + 3;
}
// REQUIRES: value < 1000.
inline char* PutShortNumber(uint32_t value, char* to) {
  uint32_t digits;
  std::memcpy(&digits, tables::kThreeDigits[value].data(), 4);
  const uint32_t count = 1 + (value >= 10) + (value >= 100);
  digits >>= 8 * (3 - count);
  std::memcpy(to, &digits, 4);
  return to + count;
}
// Decimal, no leading zeros. REQUIRES: value < 10^18.
inline char* PutNumber(uint64_t value, char* to) {
  if (value < 1000) return PutShortNumber(static_cast<uint32_t>(value), to);
  if (value < 1'000'000) {
    to = PutShortNumber(static_cast<uint32_t>(value / 1000), to);
    return PutThreeDigits(static_cast<uint32_t>(value % 1000), to);
  }
  to = PutNumber(value / 1'000'000, to);
  const auto low = static_cast<uint32_t>(value % 1'000'000);
  return PutThreeDigits(low % 1000, PutThreeDigits(low / 1000, to));
}
// Exactly `width` digits. REQUIRES: value < 10^width.
inline char* PutPadded(uint64_t value, size_t width, char* to) {
  size_t left = width;
  for (; left >= 2; left -= 2) {
    PutTwoDigits(static_cast<uint32_t>(value % 100), to + left - 2);
    value /= 100;
  }
  if (left == 1) *to = static_cast<char>('0' + value);
  return to + width;
}

// Days since 1970-01-01 of the years 0 to 9999, proleptic Gregorian.
inline constexpr int64_t kDayMin =
    std::chrono::sys_days(std::chrono::year(0) / 1 / 1).time_since_epoch().count();
inline constexpr int64_t kDayMax =
    std::chrono::sys_days(std::chrono::year(9999) / 12 / 31).time_since_epoch().count();
inline constexpr int64_t kMinutesADay = 24 * 60;

inline std::chrono::year_month_day CivilDay(int64_t day) {
  return std::chrono::sys_days(std::chrono::days(static_cast<int>(day)));
}
// yyyy-MM-dd. REQUIRES: kDayMin <= day <= kDayMax.
inline char* PutDate(int64_t day, char* to) {
  const auto civil = CivilDay(day);
  const auto year = static_cast<uint32_t>(static_cast<int>(civil.year()));
  to = PutTwoDigits(year % 100, PutTwoDigits(year / 100, to));
  *to++ = '-';
  to = PutTwoDigits(static_cast<unsigned>(civil.month()), to);
  *to++ = '-';
  return PutTwoDigits(static_cast<unsigned>(civil.day()), to);
}
// yyyyMMddTHHmmZ. REQUIRES: a minute of the days above.
inline char* PutMinute(int64_t minute, char* to) {
  const auto from_first = static_cast<uint64_t>(minute - kDayMin * kMinutesADay);
  const auto civil = CivilDay(static_cast<int64_t>(from_first / kMinutesADay) + kDayMin);
  const auto of_day = static_cast<uint32_t>(from_first % kMinutesADay);
  const auto year = static_cast<uint32_t>(static_cast<int>(civil.year()));
  to = PutTwoDigits(year % 100, PutTwoDigits(year / 100, to));
  to = PutTwoDigits(static_cast<unsigned>(civil.month()), to);
  to = PutTwoDigits(static_cast<unsigned>(civil.day()), to);
  *to++ = 'T';
  to = PutTwoDigits(of_day % 60, PutTwoDigits(of_day / 60, to));
  *to++ = 'Z';
  return to;
}
// 8-4-4-4-12 lower-case hex digits of 16 bytes, most significant first.
inline char* PutUuid(uint64_t high, uint64_t low, char* to) {
  const auto put_bytes = [&to](uint64_t bytes, int from_bit, int to_bit) {
    for (int bit = from_bit; bit >= to_bit; bit -= 8) {
      std::memcpy(to, tables::kHexDigits[bytes >> bit & 0xff].data(), 2);
      to += 2;
    }
  };
  put_bytes(high, 56, 32);
  *to++ = '-';
  put_bytes(high, 24, 16);
  *to++ = '-';
  put_bytes(high, 8, 0);
  *to++ = '-';
  put_bytes(low, 56, 48);
  *to++ = '-';
  put_bytes(low, 40, 0);
  return to;
}

}  // namespace trellis::segment_names
