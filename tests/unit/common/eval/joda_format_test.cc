#include "common/eval/joda_format.h"

#include <catch2/catch.hpp>

namespace trellis::eval {

TEST_CASE("a pattern reads what it prints") {
  const auto format = JodaFormat::Compile("yyyy-MM-dd'T'HH:mm:ss.SSS");
  REQUIRE(format.ok());
  CHECK(format->CheckParsable().ok());
  std::string text;
  format->Print(1764504000123, Zone(), text);
  CHECK(text == "2025-11-30T12:00:00.123");
  CHECK(*format->Parse(text, Zone()) == 1764504000123);
  CHECK_FALSE(format->Parse("2025-11-30", Zone()).ok());
  CHECK(*JodaFormat::Compile("yyyyMMdd")->Parse("20251130", Zone()) == 1764460800000);
  CHECK_FALSE(JodaFormat::Compile("yyyy-bb").ok());
}

}  // namespace trellis::eval
