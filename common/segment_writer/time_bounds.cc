#include "common/segment_writer/time_bounds.h"

#include <algorithm>
#include <vector>

#include "common/eval/joda_format.h"
#include "common/eval/time_zone.h"
#include "common/types/java_text.h"

namespace trellis::segment_writer {
namespace {

struct Unit {
  std::string_view name;
  int64_t nanoseconds;
};
constexpr Unit kUnits[] = {{"NANOSECONDS", 1},          {"MICROSECONDS", 1'000},
                           {"MILLISECONDS", 1'000'000}, {"SECONDS", 1'000'000'000},
                           {"MINUTES", 60'000'000'000}, {"HOURS", 3'600'000'000'000},
                           {"DAYS", 86'400'000'000'000}};
constexpr std::string_view kSimpleDate = "SIMPLE_DATE_FORMAT";
// What Pinot takes where a SIMPLE_DATE_FORMAT gives no pattern: ISO dates and times. Of those only
// the usual one.
constexpr std::string_view kDefaultPattern = "yyyy-MM-dd'T'HH:mm:ss.SSSZ";

// Splits at `separator` into at most `parts_max` parts, the last with all that is left.
std::vector<std::string_view> Split(std::string_view text, char separator, size_t parts_max) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < parts_max) {
    const size_t end = text.find(separator);
    if (end == text.npos) break;
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

Status SetUnit(std::string_view name, TimeFormat& format) {
  const auto known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                  [&](const Unit& unit) { return unit.name == name; });
  if (known == std::end(kUnits))
    return Status::InvalidArgument("time unit '{}' is not known", name);
  format.unit = name;
  return {};
}

// `yyyyMMdd tz(America/New_York)`: the colon form's way to name a zone.
void SetPattern(std::string_view text, TimeFormat& format) {
  const size_t zone = text.find(" tz(");
  if (zone != text.npos && text.ends_with(')')) {
    format.zone = text.substr(zone + 4, text.size() - zone - 5);
    text = text.substr(0, zone);
  }
  format.pattern = text;
}

Status ParseColonForm(std::string_view text, TimeFormat& format) {
  const auto parts = Split(text, ':', 4);
  if (parts.size() < 3) return Status::InvalidArgument("'{}' is no date-time format", text);
  if (parts[2] == "TIMESTAMP") return {};
  if (parts[2] == "EPOCH") return SetUnit(parts[1], format);
  if (parts[2] != kSimpleDate || parts.size() < 4)
    return Status::InvalidArgument("'{}' is no date-time format", text);
  SetPattern(parts[3], format);
  return {};
}

Status ParsePipeForm(std::string_view text, TimeFormat& format) {
  const auto parts = Split(text, '|', 3);
  if (parts[0] == "TIMESTAMP") return {};
  if (parts[0] == "EPOCH") return parts.size() > 1 ? SetUnit(parts[1], format) : Status();
  if (parts[0] != kSimpleDate) return Status::InvalidArgument("'{}' is no date-time format", text);
  format.pattern = parts.size() > 1 ? parts[1] : kDefaultPattern;
  if (parts.size() > 2) format.zone = parts[2];
  return {};
}

}  // namespace

Result<TimeFormat> ParseTimeFormat(std::string_view text) {
  TimeFormat format;
  const bool colons = !text.empty() && text[0] >= '0' && text[0] <= '9';
  TRELLIS_RETURN_IF_ERROR(colons ? ParseColonForm(text, format) : ParsePipeForm(text, format));
  return format;
}

Result<int64_t> TimeOf(const TimeFormat& format, std::string_view text) {
  if (format.pattern.empty()) {
    const auto number = ParseJavaLong(text);
    if (!number) return Status::InvalidArgument("'{}' is no number of {}", text, format.unit);
    return *number;
  }
  TRELLIS_ASSIGN_OR_RETURN(const eval::JodaFormat pattern,
                           eval::JodaFormat::Compile(format.pattern));
  TRELLIS_ASSIGN_OR_RETURN(const eval::Zone zone, eval::Zone::Parse(format.zone));
  return pattern.Parse(text, zone);
}

int64_t FromMilliseconds(const TimeFormat& format, int64_t epoch_ms) {
  constexpr int64_t kMillisecond = 1'000'000;
  for (const Unit& unit : kUnits) {
    if (unit.name != format.unit) continue;
    return unit.nanoseconds < kMillisecond ? epoch_ms * (kMillisecond / unit.nanoseconds)
                                           : epoch_ms / (unit.nanoseconds / kMillisecond);
  }
  return epoch_ms;
}

}  // namespace trellis::segment_writer
