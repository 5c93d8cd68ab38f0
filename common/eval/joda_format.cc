#include "common/eval/joda_format.h"

#include <array>
#include <chrono>
#include <optional>

#include "common/base/nearest_name.h"
#include "common/eval/calendar.h"
#include "common/types/timestamp_text.h"

namespace trellis::eval {
namespace {

constexpr std::string_view kLetters = "GCyYxwecMdDEaHkKhmsSZz";
constexpr std::string_view kParsable = "yYMdDEaHkKhmsSZ";

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};

void AppendPadded(int64_t value, int digits, std::string& out) {
  if (value < 0) out += '-';
  const std::string text = std::to_string(value < 0 ? -value : value);
  for (int i = static_cast<int>(text.size()); i < digits; ++i) out += '0';
  out += text;
}

void AppendOffset(int64_t offset_ms, bool colon, std::string& out) {
  const int64_t minutes = (offset_ms < 0 ? -offset_ms : offset_ms) / kMinuteMs;
  out += offset_ms < 0 ? '-' : '+';
  AppendPadded(minutes / 60, 2, out);
  if (colon) out += ':';
  AppendPadded(minutes % 60, 2, out);
}

// Removes the longest of the names, or of their first three letters, from the front; its index or
// -1.
template <size_t N>
int TakeName(const std::array<std::string_view, N>& names, std::string_view& text) {
  for (const bool full : {true, false}) {
    for (size_t i = 0; i < N; ++i) {
      const std::string_view name = full ? names[i] : names[i].substr(0, 3);
      if (text.size() >= name.size() && EqualsIgnoreCase(text.substr(0, name.size()), name)) {
        text.remove_prefix(name.size());
        return static_cast<int>(i);
      }
    }
  }
  return -1;
}

int64_t CurrentYear() {
  const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return int{std::chrono::year_month_day(now).year()};
}

}  // namespace

bool JodaFormat::Part::is_number() const {
  if (letter == '\0') return false;
  return letter == 'M'
             ? count <= 2
             : std::string_view("CyYxwecdDHkKhmsS").find(letter) != std::string_view::npos;
}

Result<JodaFormat> JodaFormat::Compile(std::string_view pattern) {
  JodaFormat format;
  format.pattern_ = std::string(pattern);
  const auto literal = [&format](char c) {
    if (format.parts_.empty() || format.parts_.back().letter != '\0') format.parts_.emplace_back();
    format.parts_.back().literal += c;
  };
  for (size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    if (c == '\'') {
      if (i + 1 < pattern.size() && pattern[i + 1] == '\'') {
        literal('\'');
        i += 2;
        continue;
      }
      for (++i; i < pattern.size(); ++i) {
        if (pattern[i] == '\'') {
          if (i + 1 >= pattern.size() || pattern[i + 1] != '\'') break;
          ++i;
        }
        literal(pattern[i]);
      }
      ++i;
      continue;
    }
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      if (kLetters.find(c) == std::string_view::npos || c == 'c' || c == 'z') {
        return Status::Query(PinotCode::kQueryValidation,
                             "Unsupported date-time pattern '{}': letter '{}'", pattern, c);
      }
      size_t end = i;
      while (end < pattern.size() && pattern[end] == c) ++end;
      format.parts_.push_back({c, static_cast<int>(std::min<size_t>(end - i, 100)), false, ""});
      i = end;
      continue;
    }
    literal(c);
    ++i;
  }
  if (format.parts_.empty())
    return Status::Query(PinotCode::kQueryValidation, "An empty date-time pattern");
  for (size_t i = 0; i + 1 < format.parts_.size(); ++i)
    format.parts_[i].before_number = format.parts_[i + 1].is_number();
  return format;
}

Status JodaFormat::CheckParsable() const {
  for (const Part& part : parts_) {
    if (part.letter != '\0' && kParsable.find(part.letter) == std::string_view::npos) {
      return Status::Query(PinotCode::kQueryValidation,
                           "Pattern '{}' cannot be parsed with: letter '{}'", pattern_,
                           part.letter);
    }
  }
  return Status::Ok();
}

void JodaFormat::Print(int64_t epoch_ms, const Zone& zone, std::string& out) const {
  const int64_t local_ms = zone.ToLocal(epoch_ms);
  for (const Part& part : parts_) {
    if (part.letter == '\0') {
      out += part.literal;
    } else {
      PrintPart(part, local_ms, zone, epoch_ms, out);
    }
  }
}

void JodaFormat::PrintPart(const Part& part, int64_t local_ms, const Zone& zone, int64_t epoch_ms,
                           std::string& out) const {
  const auto field = [local_ms](DateField f) { return FieldOf(f, local_ms); };
  const auto number = [&](int64_t value) { AppendPadded(value, part.count, out); };
  const int64_t hour = field(DateField::kHour);
  switch (part.letter) {
    case 'y':
    case 'Y':
    case 'x': {
      int64_t year = field(part.letter == 'x' ? DateField::kYearOfWeek : DateField::kYear);
      if (part.letter == 'Y' && year <= 0) year = 1 - year;
      return number(part.count == 2 ? FloorModulo(year, 100) : year);
    }
    case 'C':
      return number(field(DateField::kYear) / 100);
    case 'G':
      out += field(DateField::kYear) > 0 ? "AD" : "BC";
      return;
    case 'w':
      return number(field(DateField::kWeek));
    case 'e':
      return number(field(DateField::kDayOfWeek));
    case 'M': {
      const int64_t month = field(DateField::kMonth);
      if (part.count <= 2) return number(month);
      out += kMonths[static_cast<size_t>(month - 1)].substr(0, part.count == 3 ? 3 : 9);
      return;
    }
    case 'E':
      out += kDays[static_cast<size_t>(field(DateField::kDayOfWeek) - 1)].substr(
          0, part.count <= 3 ? 3 : 9);
      return;
    case 'd':
      return number(field(DateField::kDay));
    case 'D':
      return number(field(DateField::kDayOfYear));
    case 'a':
      out += hour < 12 ? "AM" : "PM";
      return;
    case 'H':
      return number(hour);
    case 'k':
      return number(hour == 0 ? 24 : hour);
    case 'K':
      return number(hour % 12);
    case 'h':
      return number(hour % 12 == 0 ? 12 : hour % 12);
    case 'm':
      return number(field(DateField::kMinute));
    case 's':
      return number(field(DateField::kSecond));
    case 'S': {
      std::string digits;
      AppendPadded(field(DateField::kMillisecond), 3, digits);
      digits.resize(static_cast<size_t>(part.count), '0');
      out += digits;
      return;
    }
    default:  // Z
      if (part.count >= 3) {
        out += zone.id();
      } else {
        AppendOffset(zone.OffsetMs(epoch_ms), part.count == 2, out);
      }
  }
}

// The fields of one text as they are read.
struct JodaFormat::Reader {
  std::string_view rest;
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  std::optional<int64_t> day_of_year;
  std::optional<int64_t> day_of_week;  // 0 = Monday
  int64_t hour = 0;
  std::optional<int64_t> half_hour;  // 0..11, with `afternoon`
  bool afternoon = false;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t ms = 0;
  std::optional<Zone> zone;

  // Reads up to `most` digits, an optional sign before them where that is allowed.
  std::optional<int64_t> Number(int most, bool sign, int* digits = nullptr) {
    bool negative = false;
    if (sign && rest.size() > 1 && (rest[0] == '-' || rest[0] == '+')) {
      negative = rest[0] == '-';
      rest.remove_prefix(1);
    }
    int64_t value = 0;
    int n = 0;
    while (n < most && static_cast<size_t>(n) < rest.size() &&
           rest[static_cast<size_t>(n)] >= '0' && rest[static_cast<size_t>(n)] <= '9') {
      value = value * 10 + (rest[static_cast<size_t>(n++)] - '0');
    }
    if (n == 0) return std::nullopt;
    rest.remove_prefix(static_cast<size_t>(n));
    if (digits != nullptr) *digits = n;
    return negative ? -value : value;
  }

  bool Bounded(int64_t low, int64_t high, int digits_max, int64_t& to) {
    const auto value = Number(digits_max, false);
    if (!value || *value < low || *value > high) return false;
    to = *value;
    return true;
  }

  bool Year(const Part& part) {
    if (part.count == 2) {
      int digits = 0;
      const bool lenient = !part.before_number;
      const auto value = Number(lenient ? 9 : 2, lenient, &digits);
      if (!value || (!lenient && digits != 2)) return false;
      year = *value;
      if (digits != 2 || *value < 0) return true;
      const int64_t low = CurrentYear() - 80;  // Joda's pivot: 80 years back, 19 ahead
      year = low + FloorModulo(*value - low, 100);
      return true;
    }
    const auto value = Number(part.before_number ? part.count : 9, true);
    if (!value) return false;
    year = *value;
    return true;
  }

  bool Fraction(int digits_max) {
    int digits = 0;
    int64_t value = 0;
    for (; digits < digits_max && !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; ++digits) {
      if (digits < 3) value = value * 10 + (rest[0] - '0');
      rest.remove_prefix(1);
    }
    for (int i = digits; i < 3; ++i) value *= 10;
    ms = value;
    return digits > 0;
  }

  bool Offset(int count) {
    size_t size = rest.find_first_not_of(
        count >= 3 ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/:"
                   : "+-0123456789:");
    if (size == std::string_view::npos) size = rest.size();
    if (count < 3) size = std::min<size_t>(size, rest.substr(0, size).find(':') == 3 ? 6 : 5);
    auto parsed = size == 0 ? Result<Zone>(Status::InvalidArgument("empty"))
                            : Zone::Parse(rest.substr(0, size));
    if (!parsed.ok()) return false;
    zone = std::move(*parsed);
    rest.remove_prefix(size);
    return true;
  }

  bool Read(const Part& part);
  std::optional<int64_t> Finish(const Zone& otherwise) const;
};

bool JodaFormat::Reader::Read(const Part& part) {
  switch (part.letter) {
    case '\0':
      if (!rest.starts_with(part.literal)) return false;
      rest.remove_prefix(part.literal.size());
      return true;
    case 'y':
    case 'Y':
      return Year(part);
    case 'M': {
      if (part.count <= 2) return Bounded(1, 12, 2, month);
      const int index = TakeName(kMonths, rest);
      month = index + 1;
      return index >= 0;
    }
    case 'E': {
      const int index = TakeName(kDays, rest);
      day_of_week = index;
      return index >= 0;
    }
    case 'd':
      return Bounded(1, 31, 2, day);
    case 'D':
      return Bounded(1, 366, 3, day_of_year.emplace());
    case 'a':
      if (rest.size() < 2 || (rest[1] | 0x20) != 'm' ||
          ((rest[0] | 0x20) != 'a' && (rest[0] | 0x20) != 'p'))
        return false;
      afternoon = (rest[0] | 0x20) == 'p';
      rest.remove_prefix(2);
      return true;
    case 'H':
      return Bounded(0, 23, 2, hour);
    case 'k':
      if (!Bounded(1, 24, 2, hour)) return false;
      hour %= 24;
      return true;
    case 'K':
      return Bounded(0, 11, 2, half_hour.emplace());
    case 'h':
      if (!Bounded(1, 12, 2, half_hour.emplace())) return false;
      *half_hour %= 12;
      return true;
    case 'm':
      return Bounded(0, 59, 2, minute);
    case 's':
      return Bounded(0, 59, 2, second);
    case 'S':
      return Fraction(part.count);
    default:
      return Offset(part.count);
  }
}

std::optional<int64_t> JodaFormat::Reader::Finish(const Zone& otherwise) const {
  constexpr int64_t kYearMax = 290'000'000;
  if (year < -kYearMax || year > kYearMax) return std::nullopt;
  int64_t days = DaysFromCivil(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
  if (day_of_year) {
    days = DaysFromCivil(year, 1, 1) + *day_of_year - 1;
    if (CivilFromDays(days).year != year) return std::nullopt;
  } else if (CivilFromDays(days).month != static_cast<unsigned>(month)) {
    return std::nullopt;  // 31 April
  }
  if (day_of_week && FloorModulo(days + 3, 7) != *day_of_week) return std::nullopt;
  const int64_t hours = half_hour ? *half_hour + (afternoon ? 12 : 0) : hour;
  const int64_t local =
      days * kDayMs + hours * kHourMs + minute * kMinuteMs + second * kSecondMs + ms;
  return (zone ? *zone : otherwise).FromLocal(local);
}

Result<int64_t> JodaFormat::Parse(std::string_view text, const Zone& zone) const {
  Reader reader{.rest = text};
  bool read = true;
  for (const Part& part : parts_) {
    read = reader.Read(part);
    if (!read) break;
  }
  if (read && reader.rest.empty()) {
    if (const auto epoch_ms = reader.Finish(zone)) return *epoch_ms;
  }
  return Status::Query(PinotCode::kQueryExecution, "Invalid format: \"{}\" is not of the form '{}'",
                       text.substr(0, 256), pattern_);
}

}  // namespace trellis::eval
