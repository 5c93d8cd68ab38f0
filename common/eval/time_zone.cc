#include "common/eval/time_zone.h"

#include "common/eval/calendar.h"
#include "common/types/timestamp_text.h"

namespace trellis::eval {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// +hh:mm or +hhmm, within a day; false when it is something else.
bool ParseOffset(std::string_view id, int& seconds) {
  if (id.size() < 5 || (id[0] != '+' && id[0] != '-')) return false;
  std::string digits;
  for (size_t i = 1; i < id.size(); ++i) {
    if (i == 3 && id[i] == ':') continue;
    if (!IsDigit(id[i])) return false;
    digits += id[i];
  }
  if (digits.size() != 4) return false;
  const int hours = (digits[0] - '0') * 10 + digits[1] - '0';
  const int minutes = (digits[2] - '0') * 10 + digits[3] - '0';
  if (hours > 23 || minutes > 59) return false;
  seconds = (hours * 60 + minutes) * 60 * (id[0] == '-' ? -1 : 1);
  return true;
}

// The loader opens files by name: only what a tz database name looks like may reach it.
bool IsSafeName(std::string_view id) {
  if (id.empty() || id.size() > 64 || id.front() == '/' || id.find("..") != std::string_view::npos)
    return false;
  if (id == "localtime" || id.starts_with("posix") || id.starts_with("Fixed")) return false;
  for (const char c : id) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !IsDigit(c) && c != '/' && c != '_' && c != '-' && c != '+') return false;
  }
  return true;
}

}  // namespace

Zone Zone::Fixed(int offset_seconds) {
  Zone zone;
  if (offset_seconds == 0) return zone;
  zone.utc_ = false;
  zone.zone_ = absl::FixedTimeZone(offset_seconds);
  const int minutes = std::abs(offset_seconds) / 60;
  zone.id_ =
      fmt::format("{}{:02}:{:02}", offset_seconds < 0 ? '-' : '+', minutes / 60, minutes % 60);
  return zone;
}

Result<Zone> Zone::Parse(std::string_view id) {
  if (id == "UTC" || id == "GMT" || id == "Z" || id == "Etc/UTC") return Zone();
  int seconds = 0;
  if (ParseOffset(id, seconds)) return Fixed(seconds);
  Zone zone;
  zone.utc_ = false;
  zone.id_ = std::string(id);
  if (!IsSafeName(id) ||
      !absl::LoadTimeZone(absl::string_view(id.data(), id.size()), &zone.zone_)) {
    return Status::Query(PinotCode::kQueryValidation, "Unknown time zone: '{}'", id.substr(0, 64));
  }
  return zone;
}

int64_t Zone::OffsetMs(int64_t epoch_ms) const {
  if (utc_) return 0;
  return int64_t{zone_.At(absl::FromUnixMillis(epoch_ms)).offset} * 1000;
}

int64_t Zone::ToLocal(int64_t epoch_ms) const {
  return utc_ ? epoch_ms : WrappingAdd(epoch_ms, OffsetMs(epoch_ms));
}

int64_t Zone::FromLocal(int64_t local_ms) const {
  if (utc_) return local_ms;
  const int64_t days = FloorDivide(local_ms, kDayMs);
  const int64_t rest = FloorModulo(local_ms, kDayMs);
  const CivilDate date = CivilFromDays(days);
  const absl::CivilSecond second(date.year, static_cast<int>(date.month),
                                 static_cast<int>(date.day), rest / kHourMs, rest / kMinuteMs % 60,
                                 rest / kSecondMs % 60);
  return absl::ToUnixMillis(zone_.At(second).pre) + FloorModulo(local_ms, kSecondMs);
}

}  // namespace trellis::eval
