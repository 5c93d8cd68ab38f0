// dateTimeConvert between epochs, timestamps and patterns (pinot-functions.md 3.6); toDateTime,
// fromDateTime.

#include <charconv>
#include <optional>

#include "common/eval/calendar.h"
#include "common/eval/joda_format.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"
#include "common/types/timestamp_text.h"

namespace trellis::eval {
namespace {

struct DateTimeFormat {
  enum class Kind : uint8_t { kEpoch, kTimestamp, kPattern };
  Kind kind = Kind::kEpoch;
  int64_t size = 1;
  TimeUnit unit = TimeUnit::kMilliseconds;
  std::optional<JodaFormat> pattern;
  Zone zone;
};

Status BadFormat(std::string_view text) {
  return Status::Query(PinotCode::kQueryValidation, "Invalid date-time format: '{}'", text);
}

// At most `most` tokens; the last keeps further separators.
std::vector<std::string_view> Tokens(std::string_view text, char separator, size_t most) {
  std::vector<std::string_view> tokens;
  while (tokens.size() + 1 < most) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    tokens.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  tokens.push_back(text);
  return tokens;
}

std::optional<int64_t> ParseSize(std::string_view text) {
  int32_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size <= 0) return std::nullopt;
  return size;
}

// Unknown zones quietly become GMT in Pinot.
Zone ZoneOrUtc(std::string_view id) {
  const Result<Zone> zone = Zone::Parse(id);
  return zone.ok() ? *zone : Zone();
}

Result<DateTimeFormat> PatternFormat(std::string_view whole, std::string_view pattern, Zone zone) {
  if (pattern.empty()) {
    return Status::Query(PinotCode::kQueryValidation,
                         "SIMPLE_DATE_FORMAT without a pattern is not supported: '{}'", whole);
  }
  DateTimeFormat format{.kind = DateTimeFormat::Kind::kPattern, .zone = std::move(zone)};
  TRELLIS_ASSIGN_OR_RETURN(format.pattern, JodaFormat::Compile(pattern));
  return format;
}

Result<DateTimeFormat> EpochFormat(std::string_view whole, std::string_view size,
                                   std::string_view unit) {
  const auto parsed_size = ParseSize(size);
  const auto parsed_unit = ParseTimeUnit(unit);
  if (!parsed_size || !parsed_unit) return BadFormat(whole);
  return DateTimeFormat{.size = *parsed_size, .unit = *parsed_unit};
}

// size:unit:EPOCH, size:unit:TIMESTAMP, size:unit:SIMPLE_DATE_FORMAT:pattern[ tz(zone)].
Result<DateTimeFormat> ParseColonFormat(std::string_view text) {
  const std::vector<std::string_view> tokens = Tokens(text, ':', 4);
  if (tokens.size() < 3) return BadFormat(text);
  if (tokens[2] == "EPOCH" && tokens.size() == 3) return EpochFormat(text, tokens[0], tokens[1]);
  if (tokens[2] == "TIMESTAMP") return DateTimeFormat{.kind = DateTimeFormat::Kind::kTimestamp};
  if (tokens[2] != "SIMPLE_DATE_FORMAT") return BadFormat(text);
  std::string_view pattern = tokens.size() > 3 ? tokens[3] : "";
  Zone zone;
  if (const size_t at = pattern.rfind(" tz(");
      at != std::string_view::npos && pattern.ends_with(')')) {
    zone = ZoneOrUtc(pattern.substr(at + 4, pattern.size() - at - 5));
    pattern = pattern.substr(0, at);
  }
  return PatternFormat(text, pattern, std::move(zone));
}

// EPOCH[|unit[|size]], TIMESTAMP, SIMPLE_DATE_FORMAT[|pattern[|zone]].
Result<DateTimeFormat> ParsePipeFormat(std::string_view text) {
  const std::vector<std::string_view> tokens = Tokens(text, '|', 3);
  if (tokens[0] == "TIMESTAMP") return DateTimeFormat{.kind = DateTimeFormat::Kind::kTimestamp};
  if (tokens[0] == "EPOCH") {
    return EpochFormat(text, tokens.size() > 2 ? tokens[2] : "1",
                       tokens.size() > 1 ? tokens[1] : "MILLISECONDS");
  }
  if (tokens[0] != "SIMPLE_DATE_FORMAT") return BadFormat(text);
  return PatternFormat(text, tokens.size() > 1 ? tokens[1] : "",
                       tokens.size() > 2 ? ZoneOrUtc(tokens[2]) : Zone());
}

Result<DateTimeFormat> ParseFormat(std::string_view text) {
  if (text.empty()) return BadFormat(text);
  return text[0] >= '0' && text[0] <= '9' ? ParseColonFormat(text) : ParsePipeFormat(text);
}

struct Granularity {
  int64_t size = 1;
  TimeUnit unit = TimeUnit::kMilliseconds;
};

// size:unit, or unit[|size].
Result<Granularity> ParseGranularity(std::string_view text) {
  const bool colon = !text.empty() && text[0] >= '0' && text[0] <= '9';
  const std::vector<std::string_view> tokens = Tokens(text, colon ? ':' : '|', 2);
  const auto unit = ParseTimeUnit(colon ? (tokens.size() > 1 ? tokens[1] : "") : tokens[0]);
  const auto size = colon               ? ParseSize(tokens[0])
                    : tokens.size() > 1 ? ParseSize(tokens[1])
                                        : std::optional<int64_t>(1);
  if (!unit || !size || *unit > TimeUnit::kDays) {
    return Status::Query(PinotCode::kQueryValidation, "Invalid granularity: '{}'", text);
  }
  return Granularity{*size, *unit};
}

// Truncates the unit's own field on the wall clock: minutes within their hour, days within their
// month.
int64_t TruncateField(int64_t epoch_ms, const Granularity& granularity, const Zone& zone) {
  const auto floor = [&](CalendarUnit unit, CalendarUnit around) {
    const int64_t start = FloorTo(unit, epoch_ms, zone);
    const int64_t base = FloorTo(around, epoch_ms, zone);
    const int64_t field = UnitsBetween(unit, zone.ToLocal(base), zone.ToLocal(start));
    return zone.FromLocal(AddUnits(unit, -(field % granularity.size), zone.ToLocal(start)));
  };
  switch (granularity.unit) {
    case TimeUnit::kMilliseconds:
      return floor(CalendarUnit::kMillisecond, CalendarUnit::kSecond);
    case TimeUnit::kSeconds:
      return floor(CalendarUnit::kSecond, CalendarUnit::kMinute);
    case TimeUnit::kMinutes:
      return floor(CalendarUnit::kMinute, CalendarUnit::kHour);
    case TimeUnit::kHours:
      return floor(CalendarUnit::kHour, CalendarUnit::kDay);
    case TimeUnit::kDays:
      return floor(CalendarUnit::kDay, CalendarUnit::kMonth);
    default:
      return epoch_ms;
  }
}

struct Conversion {
  DateTimeFormat in;
  DateTimeFormat out;
  Granularity granularity;
  std::optional<Zone> bucket_zone;

  Result<int64_t> Read(int64_t number) const {
    if (in.kind == DateTimeFormat::Kind::kTimestamp) return number;
    return ToMilliseconds(WrappingMultiply(number, in.size), in.unit);
  }
  int64_t ToNumber(int64_t epoch_ms) const {
    if (bucket_zone) {
      epoch_ms = TruncateField(epoch_ms, granularity, *bucket_zone);
      // Pinot forgets the output's unit on this path.
      if (in.kind == DateTimeFormat::Kind::kPattern) return epoch_ms;
    } else {
      const int64_t step = ToMilliseconds(granularity.size, granularity.unit);
      if (step > 1) epoch_ms = epoch_ms / step * step;
    }
    if (out.kind == DateTimeFormat::Kind::kTimestamp) return epoch_ms;
    return FromMilliseconds(epoch_ms, out.unit) / out.size;
  }
  void ToText(int64_t epoch_ms, std::string& text) const {
    out.pattern->Print(TruncateField(epoch_ms, granularity, bucket_zone ? *bucket_zone : out.zone),
                       out.zone, text);
  }
};

Result<Conversion> ParseConversion(const Call& call) {
  TRELLIS_ASSIGN_OR_RETURN(const std::string in, call.LiteralText(1));
  TRELLIS_ASSIGN_OR_RETURN(const std::string out, call.LiteralText(2));
  TRELLIS_ASSIGN_OR_RETURN(const std::string granularity, call.LiteralText(3));
  Conversion conversion;
  TRELLIS_ASSIGN_OR_RETURN(conversion.in, ParseFormat(in));
  TRELLIS_ASSIGN_OR_RETURN(conversion.out, ParseFormat(out));
  TRELLIS_ASSIGN_OR_RETURN(conversion.granularity, ParseGranularity(granularity));
  if (conversion.in.kind == DateTimeFormat::Kind::kEpoch && conversion.in.unit > TimeUnit::kDays)
    return BadFormat(in);
  if (conversion.out.kind == DateTimeFormat::Kind::kEpoch &&
      conversion.out.unit < TimeUnit::kMilliseconds) {
    return BadFormat(out);
  }
  if (conversion.in.pattern) TRELLIS_RETURN_IF_ERROR(conversion.in.pattern->CheckParsable());
  if (call.size() > 4) {
    TRELLIS_ASSIGN_OR_RETURN(const std::string zone, call.LiteralText(4));
    TRELLIS_ASSIGN_OR_RETURN(conversion.bucket_zone, Zone::Parse(zone));
  }
  return conversion;
}

Result<FunctionPtr> ResolveDateTimeConvert(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(4, 5));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  TRELLIS_ASSIGN_OR_RETURN(Conversion conversion, ParseConversion(call));
  const bool from_text = conversion.in.kind == DateTimeFormat::Kind::kPattern;
  const bool to_text = conversion.out.kind == DateTimeFormat::Kind::kPattern;
  if (!from_text && !ConvertsToNumber(call.type(0))) return call.Unsuitable();
  return MakeFunction(to_text ? DataType::kString : DataType::kLong,
                      [conversion = std::move(conversion), from_text, to_text](
                          Vectors arguments, size_t rows, const EvaluationContext& context,
                          ColumnVector& out) -> Status {
                        const ColumnVector unknown = ColumnVector::Constant(Value::Null(), rows);
                        const Operand<int64_t> number(from_text ? unknown : *arguments[0]);
                        const Operand<std::string_view> text(from_text ? *arguments[0] : unknown);
                        std::string printed;
                        for (size_t row = 0; row < rows; ++row) {
                          Result<int64_t> ms = from_text ? conversion.in.pattern->Parse(
                                                               text[row], conversion.in.zone)
                                                         : conversion.Read(number[row]);
                          if (!ms.ok() && !IsNullRow(arguments, row, context)) return ms.status();
                          const int64_t epoch_ms = ms.ok() ? *ms : 0;
                          if (!to_text) {
                            out.values<int64_t>()[row] = conversion.ToNumber(epoch_ms);
                            continue;
                          }
                          printed.clear();
                          conversion.ToText(epoch_ms, printed);
                          out.values<std::string_view>()[row] = out.arena().Copy(printed);
                        }
                        return Status::Ok();
                      });
}

struct FormatAndZone {
  JodaFormat format;
  Zone zone;
};

Result<FormatAndZone> FormatArguments(const Call& call) {
  TRELLIS_ASSIGN_OR_RETURN(const std::string pattern, call.LiteralText(1));
  TRELLIS_ASSIGN_OR_RETURN(JodaFormat format, JodaFormat::Compile(pattern));
  Zone zone;
  if (call.size() > 2) {
    TRELLIS_ASSIGN_OR_RETURN(const std::string id, call.LiteralText(2));
    TRELLIS_ASSIGN_OR_RETURN(zone, Zone::Parse(id));
  }
  return FormatAndZone{std::move(format), std::move(zone)};
}

Result<FunctionPtr> ResolveToDateTime(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 3));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  if (!ConvertsToNumber(call.type(0))) return call.Unsuitable();
  TRELLIS_ASSIGN_OR_RETURN(FormatAndZone how, FormatArguments(call));
  return MakeFunction(DataType::kString,
                      [how = std::move(how)](Vectors arguments, size_t rows,
                                             const EvaluationContext&, ColumnVector& out) {
                        const Operand<int64_t> time(*arguments[0]);
                        std::string text;
                        for (size_t row = 0; row < rows; ++row) {
                          text.clear();
                          how.format.Print(time[row], how.zone, text);
                          out.values<std::string_view>()[row] = out.arena().Copy(text);
                        }
                        return Status::Ok();
                      });
}

// The fourth argument is the answer for text that does not parse.
Result<FunctionPtr> ResolveFromDateTime(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 4));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  TRELLIS_ASSIGN_OR_RETURN(FormatAndZone how, FormatArguments(call));
  TRELLIS_RETURN_IF_ERROR(how.format.CheckParsable());
  std::optional<int64_t> otherwise;
  if (call.size() > 3) {
    TRELLIS_ASSIGN_OR_RETURN(otherwise, call.LiteralInteger(3));
  }
  return MakeFunction(DataType::kLong,
                      [how = std::move(how), otherwise](Vectors arguments, size_t rows,
                                                        const EvaluationContext& context,
                                                        ColumnVector& out) -> Status {
                        const Operand<std::string_view> text(*arguments[0]);
                        for (size_t row = 0; row < rows; ++row) {
                          const Result<int64_t> ms = how.format.Parse(text[row], how.zone);
                          if (!ms.ok() && !otherwise && !IsNullRow(arguments, row, context))
                            return ms.status();
                          out.values<int64_t>()[row] = ms.ok() ? *ms : otherwise.value_or(0);
                        }
                        return Status::Ok();
                      });
}

}  // namespace

void RegisterDateTimeFormats(Registry& registry) {
  registry.Add({"datetimeconvert"}, Folding::kAllowed, ResolveDateTimeConvert);
  registry.Add({"todatetime"}, Folding::kAllowed, ResolveToDateTime);
  registry.Add({"fromdatetime"}, Folding::kAllowed, ResolveFromDateTime);
}

}  // namespace trellis::eval
