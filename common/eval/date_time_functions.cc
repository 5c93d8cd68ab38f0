// Fields, truncation and arithmetic of points in time.

#include <chrono>

#include "common/eval/calendar.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"
#include "common/eval/scalar_function.h"
#include "common/types/java_text.h"

namespace trellis::eval {
namespace {

Status CheckTime(const Call& call, size_t position) {
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  return ConvertsToNumber(call.type(position)) ? Status::Ok() : call.Unsuitable();
}

Result<Zone> ZoneArgument(const Call& call, size_t position) {
  if (call.size() <= position) return Zone();
  TRELLIS_ASSIGN_OR_RETURN(const std::string id, call.LiteralText(position));
  return Zone::Parse(id);
}

FunctionPtr FieldFunction(DateField field, size_t position, Zone zone) {
  return MakeFunction(DataType::kInt,
                      [field, position, zone](Vectors arguments, size_t rows,
                                              const EvaluationContext&, ColumnVector& out) {
                        const Operand<int64_t> time(*arguments[position]);
                        std::vector<int32_t>& to = out.values<int32_t>();
                        for (size_t row = 0; row < rows; ++row)
                          to[row] = static_cast<int32_t>(FieldOf(field, zone.ToLocal(time[row])));
                        return Status::Ok();
                      });
}

void AddField(Registry& registry, std::initializer_list<const char*> names, DateField field) {
  registry.Add(names, Folding::kAllowed, [field](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 2));
    TRELLIS_RETURN_IF_ERROR(CheckTime(call, 0));
    TRELLIS_ASSIGN_OR_RETURN(Zone zone, ZoneArgument(call, 1));
    return FieldFunction(field, 0, std::move(zone));
  });
}

Result<FunctionPtr> ResolveExtract(const Call& call) {
  static const std::unordered_map<std::string_view, DateField> kFields = {
      {"YEAR", DateField::kYear},     {"QUARTER", DateField::kQuarter},
      {"MONTH", DateField::kMonth},   {"WEEK", DateField::kWeek},
      {"DAY", DateField::kDay},       {"DOY", DateField::kDayOfYear},
      {"DOW", DateField::kDayOfWeek}, {"HOUR", DateField::kHour},
      {"MINUTE", DateField::kMinute}, {"SECOND", DateField::kSecond},
  };
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2));
  TRELLIS_RETURN_IF_ERROR(CheckTime(call, 1));
  TRELLIS_ASSIGN_OR_RETURN(const std::string unit, call.LiteralText(0));
  const auto found = kFields.find(unit);
  if (found == kFields.end())
    return Status::Query(PinotCode::kQueryValidation, "Unsupported EXTRACT field: {}", unit);
  return FieldFunction(found->second, 1, Zone());
}

Result<TimeUnit> UnitArgument(const Call& call, size_t position, TimeUnit otherwise,
                              TimeUnit coarsest) {
  if (call.size() <= position) return otherwise;
  TRELLIS_ASSIGN_OR_RETURN(const std::string name, call.LiteralText(position));
  const auto unit = ParseTimeUnit(name);
  if (!unit || *unit > coarsest)
    return Status::Query(PinotCode::kQueryValidation, "Unsupported time unit: {}", name);
  return *unit;
}

Result<CalendarUnit> CalendarUnitArgument(const Call& call, size_t position) {
  TRELLIS_ASSIGN_OR_RETURN(const std::string name, call.LiteralText(position));
  const auto unit = ParseCalendarUnit(name);
  if (!unit)
    return Status::Query(PinotCode::kQueryValidation, "'{}' is not a valid unit of {}", name,
                         call.name);
  return *unit;
}

Result<FunctionPtr> ResolveDateTrunc(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 5));
  TRELLIS_RETURN_IF_ERROR(CheckTime(call, 1));
  TRELLIS_ASSIGN_OR_RETURN(const CalendarUnit unit, CalendarUnitArgument(call, 0));
  TRELLIS_ASSIGN_OR_RETURN(const TimeUnit in,
                           UnitArgument(call, 2, TimeUnit::kMilliseconds, TimeUnit::kDays));
  TRELLIS_ASSIGN_OR_RETURN(Zone zone, ZoneArgument(call, 3));
  TRELLIS_ASSIGN_OR_RETURN(const TimeUnit to_unit, UnitArgument(call, 4, in, TimeUnit::kDays));
  return MakeFunction(
      DataType::kLong, [unit, in, zone, to_unit](Vectors arguments, size_t rows,
                                                 const EvaluationContext&, ColumnVector& out) {
        const Operand<int64_t> time(*arguments[1]);
        std::vector<int64_t>& to = out.values<int64_t>();
        for (size_t row = 0; row < rows; ++row) {
          to[row] = FromMilliseconds(FloorTo(unit, ToMilliseconds(time[row], in), zone), to_unit);
        }
        return Status::Ok();
      });
}

Result<FunctionPtr> ResolveTimestampAdd(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(3, 3));
  TRELLIS_RETURN_IF_ERROR(CheckTime(call, 1));
  TRELLIS_RETURN_IF_ERROR(CheckTime(call, 2));
  TRELLIS_ASSIGN_OR_RETURN(const CalendarUnit unit, CalendarUnitArgument(call, 0));
  return MakeFunction(DataType::kLong, [unit](Vectors arguments, size_t rows,
                                              const EvaluationContext&, ColumnVector& out) {
    const Operand<int64_t> count(*arguments[1]), time(*arguments[2]);
    for (size_t row = 0; row < rows; ++row)
      out.values<int64_t>()[row] = AddUnits(unit, count[row], time[row]);
    return Status::Ok();
  });
}

Result<FunctionPtr> ResolveTimestampDiff(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(3, 3));
  TRELLIS_RETURN_IF_ERROR(CheckTime(call, 1));
  TRELLIS_RETURN_IF_ERROR(CheckTime(call, 2));
  TRELLIS_ASSIGN_OR_RETURN(const CalendarUnit unit, CalendarUnitArgument(call, 0));
  return MakeFunction(DataType::kLong, [unit](Vectors arguments, size_t rows,
                                              const EvaluationContext&, ColumnVector& out) {
    const Operand<int64_t> a(*arguments[1]), b(*arguments[2]);
    for (size_t row = 0; row < rows; ++row)
      out.values<int64_t>()[row] = UnitsBetween(unit, a[row], b[row]);
    return Status::Ok();
  });
}

Result<FunctionPtr> ResolveTimeConvert(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(3, 3));
  TRELLIS_RETURN_IF_ERROR(CheckTime(call, 0));
  TRELLIS_ASSIGN_OR_RETURN(const TimeUnit from,
                           UnitArgument(call, 1, TimeUnit::kMilliseconds, TimeUnit::kDays));
  TRELLIS_ASSIGN_OR_RETURN(const TimeUnit to,
                           UnitArgument(call, 2, TimeUnit::kMilliseconds, TimeUnit::kYears));
  return MakeFunction(DataType::kLong, [from, to](Vectors arguments, size_t rows,
                                                  const EvaluationContext&, ColumnVector& out) {
    const Operand<int64_t> time(*arguments[0]);
    for (size_t row = 0; row < rows; ++row) {
      out.values<int64_t>()[row] = to <= TimeUnit::kDays
                                       ? ConvertUnit(time[row], from, to)
                                       : FromMilliseconds(ToMilliseconds(time[row], from), to);
    }
    return Status::Ok();
  });
}

Result<int64_t> Divide(int64_t a, int64_t b) {
  if (b == 0) return Status::Query(PinotCode::kQueryExecution, "Division by a bucket of 0");
  return b == -1 ? WrappingMultiply(a, -1) : a / b;
}

// Pinot's epoch families divide toward zero, also before 1970.
void AddEpochFamily(Registry& registry, const std::string& unit, int64_t unit_ms) {
  const auto add = [&](const std::string& name, Overload overload) {
    AddScalar(registry, {name.c_str()}, {overload});
  };
  add("toepoch" + unit, Scalar([unit_ms](int64_t ms) -> int64_t { return ms / unit_ms; }));
  add("toepoch" + unit + "rounded", Scalar([unit_ms](int64_t ms, int64_t n) -> Result<int64_t> {
        TRELLIS_ASSIGN_OR_RETURN(const int64_t bucket, Divide(ms / unit_ms, n));
        return WrappingMultiply(bucket, n);
      }));
  add("toepoch" + unit + "bucket", Scalar([unit_ms](int64_t ms, int64_t n) -> Result<int64_t> {
        return Divide(ms / unit_ms, n);
      }));
  add("fromepoch" + unit,
      Scalar([unit_ms](int64_t v) -> int64_t { return SaturatingMultiply(v, unit_ms); }));
  add("fromepoch" + unit + "bucket", Scalar([unit_ms](int64_t v, int64_t n) -> int64_t {
        return SaturatingMultiply(WrappingMultiply(v, n), unit_ms);
      }));
}

int64_t NowMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// An ISO 8601 duration of days and smaller: P1DT2H3M4.5S, each part with an optional sign.
Result<int64_t> ParseDurationMs(std::string_view text) {
  const auto bad = [text] {
    return Status::Query(PinotCode::kQueryExecution, "Not an ISO-8601 duration: '{}'",
                         text.substr(0, 64));
  };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.size() < 3 || (rest[0] | 0x20) != 'p') return bad();
  rest.remove_prefix(1);
  double total = 0;
  bool time = false;
  while (!rest.empty()) {
    if ((rest[0] | 0x20) == 't' && !time) {
      time = true;
      rest.remove_prefix(1);
      if (rest.empty()) return bad();
      continue;
    }
    const size_t end = rest.find_first_not_of("+-.0123456789");
    if (end == 0 || end == std::string_view::npos || end > 18) return bad();
    const auto amount = ParseJavaDouble(rest.substr(0, end));
    const char unit = static_cast<char>(rest[end] | 0x20);
    const int64_t unit_ms = !time && unit == 'd'  ? kDayMs
                            : time && unit == 'h' ? kHourMs
                            : time && unit == 'm' ? kMinuteMs
                            : time && unit == 's' ? kSecondMs
                                                  : 0;
    if (!amount || unit_ms == 0) return bad();
    total += *amount * static_cast<double>(unit_ms);
    rest.remove_prefix(end + 1);
  }
  return JavaDoubleToLong(negative ? -total : total);
}

void RegisterClock(Registry& registry) {
  AddScalar(registry, {"now"}, {Scalar([]() -> int64_t { return NowMs(); })});
  AddScalar(registry, {"ago"}, {Scalar([](std::string_view period) -> Result<int64_t> {
              TRELLIS_ASSIGN_OR_RETURN(const int64_t ms, ParseDurationMs(period));
              return NowMs() - ms;
            })});
  AddScalar(registry, {"totimestamp"},
            {ScalarAs(DataType::kTimestamp, [](int64_t ms) -> int64_t { return ms; })});
  AddScalar(registry, {"fromtimestamp"}, {Scalar([](int64_t ms) -> int64_t { return ms; })});
}

}  // namespace

void RegisterDateTimes(Registry& registry) {
  AddField(registry, {"year"}, DateField::kYear);
  AddField(registry, {"quarter"}, DateField::kQuarter);
  AddField(registry, {"month", "monthofyear"}, DateField::kMonth);
  AddField(registry, {"week", "weekofyear"}, DateField::kWeek);
  AddField(registry, {"day", "dayofmonth"}, DateField::kDay);
  AddField(registry, {"dayofweek", "dow"}, DateField::kDayOfWeek);
  AddField(registry, {"dayofyear", "doy"}, DateField::kDayOfYear);
  AddField(registry, {"yearofweek", "yow"}, DateField::kYearOfWeek);
  AddField(registry, {"hour"}, DateField::kHour);
  AddField(registry, {"minute"}, DateField::kMinute);
  AddField(registry, {"second"}, DateField::kSecond);
  AddField(registry, {"millisecond"}, DateField::kMillisecond);
  registry.Add({"extract"}, Folding::kAllowed, ResolveExtract);
  registry.Add({"datetrunc"}, Folding::kAllowed, ResolveDateTrunc);
  registry.Add({"timestampadd", "dateadd"}, Folding::kAllowed, ResolveTimestampAdd);
  registry.Add({"timestampdiff", "datediff"}, Folding::kAllowed, ResolveTimestampDiff);
  registry.Add({"timeconvert"}, Folding::kNever, ResolveTimeConvert);
  AddEpochFamily(registry, "seconds", kSecondMs);
  AddEpochFamily(registry, "minutes", kMinuteMs);
  AddEpochFamily(registry, "hours", kHourMs);
  AddEpochFamily(registry, "days", kDayMs);
  RegisterClock(registry);
}

}  // namespace trellis::eval
