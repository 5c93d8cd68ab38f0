#include "common/segment_writer/properties_text.h"

#include <catch2/catch.hpp>

#include "common/segment/column_metadata.h"
#include "common/segment/properties_file.h"
#include "common/segment_writer/time_bounds.h"
#include "common/segment_writer/value_text.h"
#include "common/types/big_decimal.h"

namespace trellis::segment_writer {

TEST_CASE("keys and values are escaped as Pinot's library does") {
  PropertiesText out(PropertiesText::EmptyValue::kNone);
  out.Add("column.a b=c:d\\e.minValue", "x\\y,\t\n\x01 é 🌧 ~");
  out.Add("column.ü.n", int64_t{-5});
  out.Add("empty", "");
  out.AddList("none", {});
  out.AddList("list", std::vector<std::string>{"one", "t,wo", "thr\\ee"});
  CHECK(out.text() ==
        "column.a\\ b\\=c\\:d\\\\e.minValue = x\\\\y\\,\\t\\n\\u0001 \\u00E9 \\uD83C\\uDF27 ~\n"
        "column.ü.n = -5\n"
        "empty =\n"
        "list = one,t\\,wo,thr\\\\ee\n");
  PropertiesText files(PropertiesText::EmptyValue::kBlank);
  files.Add("empty", "");
  CHECK(files.text() == "empty = \n");
}

TEST_CASE("what is written for bounds reads back the same") {
  for (const std::string& text :
       {std::string(" lead"), std::string("trail "), std::string(" "), std::string("a,b"),
        std::string(","), std::string("c:\\dir\\"), std::string("tab\there"), std::string("é"),
        std::string("=x"), std::string("#no"), std::string("\xEF\xBF\xBD"), std::string()}) {
    INFO("'" << text << "'");
    const auto escaped = EscapeStringValue(text);
    REQUIRE(escaped);
    PropertiesText out(PropertiesText::EmptyValue::kNone);
    out.Add("k", *escaped);
    const auto file = segment::PropertiesFile::Parse(out.text());
    REQUIRE(file.ok());
    CHECK(segment::UnescapeStringValue(*file->First("k")) == text);
  }
  CHECK_FALSE(EscapeStringValue("rain 🌧"));
  CHECK(Utf16Units("aé日🌧") == 5);
}

TEST_CASE("stored values have Java's text") {
  // From java.math.BigDecimal.toString.
  const std::pair<const char*, const char*> decimals[] = {
      {"1E+3", "1E+3"},           {"1.10", "1.10"},   {"0.0000001", "1E-7"},
      {"-123.4500", "-123.4500"}, {"1E-10", "1E-10"}, {"0", "0"},
      {"0.00", "0.00"},           {"12E5", "1.2E+6"}, {"-0.0000012", "-0.0000012"}};
  for (const auto& [text, java] : decimals) {
    const auto decimal = BigDecimal::FromText(text);
    REQUIRE(decimal.ok());
    CHECK(JavaDecimalText(decimal->ToBytes()) == java);
  }
  CHECK(StoredValueText(Value::Boolean(true)) == "1");
  CHECK(StoredValueText(Value::Timestamp(1764504000000)) == "1764504000000");
  CHECK(StoredValueText(Value::Float(1.5f)) == "1.5");
  CHECK(StoredValueText(Value::Double(1e10)) == "1.0E10");
  CHECK(StoredValueText(Value::Bytes(DataType::kBytes, "\x01\xAB")) == "01ab");
}

TEST_CASE("a date-time format says what a time is") {
  const auto time = [](const char* format, const char* text) {
    const auto parsed = ParseTimeFormat(format);
    REQUIRE(parsed.ok());
    const auto value = TimeOf(*parsed, text);
    INFO(value.status().message());
    REQUIRE(value.ok());
    return std::to_string(*value) + " " + parsed->unit;
  };
  CHECK(time("1:DAYS:EPOCH", "20000") == "20000 DAYS");
  CHECK(time("EPOCH|SECONDS|1", "7") == "7 SECONDS");
  CHECK(time("EPOCH", "7") == "7 MILLISECONDS");
  CHECK(time("TIMESTAMP", "7") == "7 MILLISECONDS");
  CHECK(time("1:MILLISECONDS:TIMESTAMP", "7") == "7 MILLISECONDS");
  CHECK(time("1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd", "20251130") == "1764460800000 MILLISECONDS");
  CHECK(time("SIMPLE_DATE_FORMAT|yyyy-MM-dd HH:mm|America/New_York", "2025-11-30 07:00") ==
        "1764504000000 MILLISECONDS");
  CHECK(time("1:HOURS:SIMPLE_DATE_FORMAT:yyyyMMddHH tz(Asia/Tokyo)", "2025113021") ==
        "1764504000000 MILLISECONDS");
  for (const char* bad : {"", "1:FORTNIGHTS:EPOCH", "1:DAYS", "1:DAYS:EVER", "EVER"})
    CHECK_FALSE(ParseTimeFormat(bad).ok());
  CHECK_FALSE(TimeOf(TimeFormat{}, "noon").ok());
  CHECK(FromMilliseconds({"DAYS", "", "UTC"}, 1764504000000) == 20422);
  CHECK(FromMilliseconds({"MICROSECONDS", "", "UTC"}, 7) == 7000);
}

}  // namespace trellis::segment_writer
