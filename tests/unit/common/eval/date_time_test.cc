#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/common/eval/expressions.h"

namespace trellis::eval {
namespace {

constexpr int64_t kRow0 = 1704121200000;  // 2024-01-01 15:00
constexpr int64_t kRow1 = 1704704400000;  // 2024-01-08 09:00

// Rows 0 and 1 of the recorded table `baseline`.
Table Baseline() {
  Table t;
  t.With("tsCol", {Value::Timestamp(kRow0), Value::Timestamp(kRow1)});
  t.With("ts", {Value::Long(1704176820000), Value::Long(1704227400000)});
  return t;
}

plan::Expression Ms(int64_t value) { return Lit(Value::Long(value)); }

TEST_CASE("date-time functions answer as recorded") {
  Table t = Baseline();
  const auto ts_col = t.Col("tsCol");
  const auto ts = t.Col("ts");
  CHECK(t.Show(Fn("year", {ts_col})) == "INT: 2024, 2024");
  CHECK(t.Show(Fn("quarter", {ts_col})) == "INT: 1, 1");
  CHECK(t.Show(Fn("week", {ts_col})) == "INT: 1, 2");
  CHECK(t.Show(Fn("day", {ts_col})) == "INT: 1, 8");
  CHECK(t.Show(Fn("dayofweek", {ts_col})) == "INT: 1, 1");
  CHECK(t.Show(Fn("hour", {ts_col})) == "INT: 15, 9");
  CHECK(t.Show(Fn("extract", {Lit("YEAR"), ts_col})) == "INT: 2024, 2024");
  CHECK(t.Show(Fn("datetrunc", {Lit("week"), ts_col})) == "LONG: 1704067200000, 1704672000000");
  CHECK(t.Show(Fn("toepochdays", {ts})) == "LONG: 19724, 19724");
  CHECK(t.Show(Fn("toepochhoursrounded", {ts, Lit(6)})) == "LONG: 473382, 473394");
  CHECK(t.Show(Fn("todatetime", {ts, Lit("yyyy-MM-dd HH:mm")})) ==
        "STRING: 2024-01-02 06:27, 2024-01-02 20:30");
  CHECK(t.Show(Fn("todatetime",
                  {ts, Lit("yyyy-MM-dd'T'HH:mm:ss.SSSZ"), Lit("America/Los_Angeles")})) ==
        "STRING: 2024-01-01T22:27:00.000-0800, 2024-01-02T12:30:00.000-0800");
  CHECK(t.Show(Fn("datetimeconvert",
                  {ts, Lit("1:MILLISECONDS:EPOCH"), Lit("1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd"),
                   Lit("1:DAYS")})) == "STRING: 2024-01-02, 2024-01-02");
  CHECK(t.Show(Fn("datetimeconvert", {ts, Lit("1:MILLISECONDS:EPOCH"), Lit("1:HOURS:EPOCH"),
                                      Lit("6:HOURS")})) == "LONG: 473382, 473394");
  CHECK(t.Show(Fn("timestampadd", {Lit("DAY"), Lit(3), ts_col})) ==
        "LONG: 1704380400000, 1704963600000");
  CHECK(t.Show(Fn("timestampdiff", {Lit("HOUR"), ts, ts_col})) == "LONG: -15, 132");
}

TEST_CASE("truncation follows the zone's wall clock through daylight saving") {
  // 2024-03-31 01:30 UTC is 03:30 in Berlin, after the clocks skipped an hour.
  const auto berlin = Lit("Europe/Berlin");
  CHECK(ShowCall("datetrunc", {Lit("day"), Ms(1711848600000), Lit("MILLISECONDS"), berlin}) ==
        "LONG: 1711839600000");
  CHECK(ShowCall("hour", {Ms(1711848600000), berlin}) == "INT: 3");
  CHECK(ShowCall("datetrunc", {Lit("hour"), Ms(1711848600000), Lit("MILLISECONDS"), berlin}) ==
        "LONG: 1711846800000");
  CHECK(ShowCall("datetrunc", {Lit("MONTH"), Lit(19724), Lit("DAYS")}) == "LONG: 19723");
  CHECK(ShowCall("datetrunc", {Lit("day"), Ms(-1)}) == "LONG: -86400000");
}

TEST_CASE("unknown units and zones are refused") {
  CHECK(ShowCall("datetrunc", {Lit("fortnight"), Ms(0)}) == "error 700");
  CHECK(ShowCall("extract", {Lit("EPOCH"), Ms(0)}) == "error 700");
  CHECK(ShowCall("year", {Ms(0), Lit("Mars/Olympus")}) == "error 700");
  CHECK(ShowCall("year", {Ms(0), Lit("../../etc/passwd")}) == "error 700");
  CHECK(ShowCall("year", {Lit("2024-01-01")}) == "error 700");
  CHECK(ShowCall("toepochdaysrounded", {Ms(0), Lit(0)}) == "error 200");
}

TEST_CASE("weeks are ISO weeks") {
  CHECK(ShowCall("week", {Ms(1609459200000)}) == "INT: 53");  // 2021-01-01
  CHECK(ShowCall("yearofweek", {Ms(1609459200000)}) == "INT: 2020");
  CHECK(ShowCall("dayofyear", {Ms(1609459200000)}) == "INT: 1");
}

TEST_CASE("months clamp when added and count when complete") {
  CHECK(ShowCall("timestampadd", {Lit("MONTH"), Lit(1), Ms(1706659200000)}) ==
        "LONG: 1709164800000");  // 31 Jan -> 29 Feb
  CHECK(ShowCall("timestampdiff", {Lit("MONTH"), Ms(1706659200000), Ms(1709164800000)}) ==
        "LONG: 1");
  CHECK(ShowCall("timestampdiff", {Lit("MONTH"), Ms(kRow1), Ms(kRow0)}) == "LONG: 0");
  CHECK(ShowCall("timestampdiff", {Lit("YEAR"), Ms(1704067200000), Ms(1609459200000)}) ==
        "LONG: -3");
}

TEST_CASE("the default null of a LONG column has fields and does not overflow") {
  CHECK(ShowCall("millisecond", {Ms(std::numeric_limits<int64_t>::min())}) == "INT: 192");
  CHECK(ShowCall("datetrunc", {Lit("millisecond"), Ms(std::numeric_limits<int64_t>::min())}) ==
        "LONG: -9223372036854775808");
}

TEST_CASE("patterns print and read back") {
  const auto from = [](const char* text, const char* pattern) {
    return ShowCall("fromdatetime", {Lit(text), Lit(pattern)});
  };
  CHECK(from("2024-01-02 06:27", "yyyy-MM-dd HH:mm") == "LONG: 1704176820000");
  CHECK(from("20240102", "yyyyMMdd") == "LONG: 1704153600000");
  CHECK(from("2024-01-01T22:27:00.000-0800", "yyyy-MM-dd'T'HH:mm:ss.SSSZ") ==
        "LONG: 1704176820000");
  CHECK(from("01/02/2024", "MM/dd/yyyy") == "LONG: 1704153600000");
  CHECK(from("Jan 2, 2024 08:30 PM", "MMM d, yyyy hh:mm a") == "LONG: 1704227400000");
  CHECK(from("Tue Jan 02 06:27:00 UTC 2024", "EEE MMM dd HH:mm:ss ZZZ yyyy") ==
        "LONG: 1704176820000");
  CHECK(from("2024-02-30", "yyyy-MM-dd") == "error 200");
  CHECK(from("2024-01-02x", "yyyy-MM-dd") == "error 200");
  CHECK(from("2024", "yyyyT") == "error 700");
  CHECK(ShowCall("fromdatetime", {Lit("x"), Lit("yyyy"), Lit("UTC"), Lit(-1)}) == "LONG: -1");
  CHECK(
      ShowCall("todatetime", {Ms(1704227400000), Lit("EEEE d MMMM yy, h:mm a ZZ 'o''clock' SS")}) ==
      "STRING: Tuesday 2 January 24, 8:30 PM +00:00 o'clock 00");
}

TEST_CASE("a time that the clocks skipped moves forward") {
  CHECK(ShowCall("fromdatetime", {Lit("2024-03-31 02:30"), Lit("yyyy-MM-dd HH:mm"),
                                  Lit("Europe/Berlin")}) == "LONG: 1711848600000");
}

TEST_CASE("dateTimeConvert reads and writes all its formats") {
  const auto convert = [](plan::Expression value, const char* in, const char* out,
                          const char* granularity) {
    return ShowCall("datetimeconvert", {std::move(value), Lit(in), Lit(out), Lit(granularity)});
  };
  CHECK(convert(Lit("20240102"), "1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd", "1:DAYS:EPOCH", "1:DAYS") ==
        "LONG: 19724");
  CHECK(convert(Lit("20240102"), "SIMPLE_DATE_FORMAT|yyyyMMdd", "EPOCH|HOURS|2", "DAYS") ==
        "LONG: 236688");
  CHECK(convert(Ms(1704176820000), "TIMESTAMP", "SIMPLE_DATE_FORMAT|HH:mm|America/Los_Angeles",
                "30:MINUTES") == "STRING: 22:00");
  CHECK(convert(Ms(1704176820000), "EPOCH",
                "1:HOURS:SIMPLE_DATE_FORMAT:yyyy-MM-dd HH:mm tz(Asia/Kolkata)",
                "1:MINUTES") == "STRING: 2024-01-02 11:57");
  CHECK(convert(Ms(19724), "1:DAYS:EPOCH", "1:MILLISECONDS:TIMESTAMP", "1:DAYS") ==
        "LONG: 1704153600000");
  CHECK(convert(Ms(0), "1:EPOCH", "EPOCH", "DAYS") == "error 700");
  CHECK(convert(Ms(0), "EPOCH", "EPOCH", "0:DAYS") == "error 700");
  CHECK(convert(Lit("x"), "SIMPLE_DATE_FORMAT|yyyy", "EPOCH", "DAYS") == "error 200");
}

TEST_CASE("timeConvert and ago") {
  CHECK(ShowCall("timeconvert", {Ms(3599), Lit("SECONDS"), Lit("hours")}) == "LONG: 0");
  CHECK(ShowCall("timeconvert", {Ms(14), Lit("DAYS"), Lit("WEEKS")}) == "LONG: 2");
  CHECK(ShowCall("timeconvert", {Ms(14), Lit("DAYS"), Lit("moons")}) == "error 700");
  CHECK(Fold("minus", {Fn("ago", {Lit("PT1H")}), Fn("ago", {Lit("PT1H")})}).starts_with("LONG: "));
  CHECK(Fold("ago", {Lit("1 hour")}) == "error 200");
}

}  // namespace
}  // namespace trellis::eval
