#include "common/types/timestamp_text.h"

#include <fmt/format.h>

#include <chrono>

#include "common/types/java_text.h"

namespace trellis {
namespace {

constexpr int64_t kMsPerDay = 86'400'000;

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

// Walks text of the form digits, separators, digits.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool Accept(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Reads between `least` and `most` digits.
  std::optional<int> Digits(size_t least, size_t most) {
    size_t n = 0;
    int value = 0;
    while (n < most && n < text_.size() && text_[n] >= '0' && text_[n] <= '9')
      value = value * 10 + (text_[n++] - '0');
    if (n < least) return std::nullopt;
    text_.remove_prefix(n);
    return value;
  }
  // Reads 1..9 fraction digits as milliseconds, truncating.
  std::optional<int> FractionMs() {
    size_t n = 0;
    int ms = 0;
    for (; n < 9 && n < text_.size() && text_[n] >= '0' && text_[n] <= '9'; ++n) {
      if (n < 3) ms = ms * 10 + (text_[n] - '0');
    }
    if (n == 0) return std::nullopt;
    for (size_t i = n; i < 3; ++i) ms *= 10;
    text_.remove_prefix(n);
    return ms;
  }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

bool ValidDate(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return date.ok();
}

std::optional<int64_t> OffsetMs(Scanner& scan) {
  if (scan.Accept('Z') || scan.Accept('z')) return 0;
  const bool minus = scan.Accept('-');
  if (!minus && !scan.Accept('+')) return std::nullopt;
  const auto hours = scan.Digits(2, 2);
  if (!hours || *hours > 18) return std::nullopt;
  int minutes = 0;
  if (scan.Accept(':')) {
    const auto read = scan.Digits(2, 2);
    if (!read || *read > 59) return std::nullopt;
    minutes = *read;
  }
  const int64_t ms = (*hours * 60 + minutes) * int64_t{60'000};
  return minus ? -ms : ms;
}

}  // namespace

int64_t DaysFromCivil(int64_t year, unsigned month, unsigned day) {
  // Howard Hinnant's days_from_civil: years start in March so that the leap day is the last of its
  // year.
  year -= month <= 2;
  const int64_t era = FloorDivide(year, 400);
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<int64_t>(day_of_era) - 719468;
}

CivilDate CivilFromDays(int64_t days) {
  days += 719468;
  const int64_t era = FloorDivide(days, 146097);
  const auto day_of_era = static_cast<unsigned>(days - era * 146097);
  const unsigned year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const unsigned day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned shifted = (5 * day_of_year + 2) / 153;
  const unsigned month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {static_cast<int64_t>(year_of_era) + era * 400 + (month <= 2), month,
          day_of_year - (153 * shifted + 2) / 5 + 1};
}

std::string TimestampText(int64_t epoch_ms) {
  const int64_t days = FloorDivide(epoch_ms, kMsPerDay);
  int64_t ms = epoch_ms % kMsPerDay;  // not by multiplying days back, which overflows at the ends
  if (ms < 0) ms += kMsPerDay;
  const CivilDate date = CivilFromDays(days);
  std::string text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.", date.year, date.month,
                                 date.day, ms / 3'600'000, ms / 60'000 % 60, ms / 1000 % 60);
  std::string fraction = fmt::format("{:03}", ms % 1000);
  while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
  return text + fraction;
}

std::optional<int64_t> ParseTimestampText(std::string_view text) {
  if (const auto ms = ParseJavaLong(text)) return ms;
  Scanner scan(text);
  const auto year = scan.Digits(4, 4);
  if (!year || !scan.Accept('-')) return std::nullopt;
  const auto month = scan.Digits(1, 2);
  if (!month || !scan.Accept('-')) return std::nullopt;
  const auto day = scan.Digits(1, 2);
  if (!day || !ValidDate(*year, *month, *day)) return std::nullopt;
  int64_t ms =
      DaysFromCivil(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day)) * kMsPerDay;
  if (scan.at_end()) return ms;
  if (!scan.Accept(' ') && !scan.Accept('T')) return std::nullopt;
  const auto hour = scan.Digits(1, 2);
  if (!hour || *hour > 23 || !scan.Accept(':')) return std::nullopt;
  const auto minute = scan.Digits(1, 2);
  if (!minute || *minute > 59) return std::nullopt;
  ms += *hour * int64_t{3'600'000} + *minute * int64_t{60'000};
  if (scan.Accept(':')) {
    const auto second = scan.Digits(1, 2);
    if (!second || *second > 59) return std::nullopt;
    ms += *second * int64_t{1000};
    if (scan.Accept('.')) {
      const auto fraction = scan.FractionMs();
      if (!fraction) return std::nullopt;
      ms += *fraction;
    }
  }
  if (scan.at_end()) return ms;
  const auto offset = OffsetMs(scan);
  if (!offset || !scan.at_end()) return std::nullopt;
  return ms - *offset;
}

}  // namespace trellis
