#include "common/types/timestamp_text.h"

#include <catch2/catch.hpp>

namespace trellis {
namespace {

TEST_CASE("a timestamp prints in UTC with at least one digit of fraction") {
  CHECK(TimestampText(0) == "1970-01-01 00:00:00.0");
  CHECK(TimestampText(1704067200123) == "2024-01-01 00:00:00.123");
  CHECK(TimestampText(1704067200120) == "2024-01-01 00:00:00.12");
  CHECK(TimestampText(-1) == "1969-12-31 23:59:59.999");
  CHECK(TimestampText(951782400000) == "2000-02-29 00:00:00.0");
  // The ends of LONG, which segments can hold.
  CHECK(TimestampText(INT64_MIN) == "-292275055-05-16 16:47:04.192");
  CHECK(TimestampText(INT64_MAX) == "292278994-08-17 07:12:55.807");
}

TEST_CASE("each of the text forms is read") {
  CHECK(ParseTimestampText("2024-01-01 00:00:00") == 1704067200000);
  CHECK(ParseTimestampText("2024-1-1 0:0:0.5") == 1704067200500);
  CHECK(ParseTimestampText("1704067200123") == 1704067200123);
  CHECK(ParseTimestampText("2024-01-01T00:00:00Z") == 1704067200000);
  CHECK(ParseTimestampText("2024-01-01T01:00:00+01:00") == 1704067200000);
  CHECK(ParseTimestampText("2024-01-01T00:00:00") == 1704067200000);
  CHECK(ParseTimestampText("2024-01-01") == 1704067200000);
}

TEST_CASE("what is no time is refused") {
  for (const char* text :
       {"", "garbage", "2024-13-01", "2024-01-01T", "2024-01-01 25", "12:00:00", "1.5"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseTimestampText(text).has_value());
  }
}

TEST_CASE("printed timestamps read back") {
  for (int64_t epoch_ms :
       {-62135596800000LL, -1LL, 0LL, 1LL, 951782399999LL, 1704067200001LL, 253402300799999LL}) {
    CAPTURE(epoch_ms);
    CHECK(ParseTimestampText(TimestampText(epoch_ms)) == epoch_ms);
  }
}

TEST_CASE("days and dates turn into each other") {
  CHECK(DaysFromCivil(1970, 1, 1) == 0);
  CHECK(DaysFromCivil(2000, 3, 1) - DaysFromCivil(2000, 2, 28) == 2);
  CHECK(DaysFromCivil(1900, 3, 1) - DaysFromCivil(1900, 2, 28) == 1);
  for (int64_t days = -800000; days <= 800000; days += 997) {
    const CivilDate date = CivilFromDays(days);
    CAPTURE(days);
    CHECK(DaysFromCivil(date.year, date.month, date.day) == days);
  }
}

}  // namespace
}  // namespace trellis
