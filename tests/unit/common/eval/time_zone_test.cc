#include "common/eval/time_zone.h"

#include <catch2/catch.hpp>

namespace trellis::eval {

TEST_CASE("a zone is UTC, an offset, or a name of the tz database") {
  for (const char* utc : {"UTC", "GMT", "Z"}) CHECK(Zone::Parse(utc)->OffsetMs(0) == 0);
  CHECK(Zone::Parse("+05:30")->OffsetMs(0) == 19'800'000);
  CHECK(Zone::Parse("-0130")->OffsetMs(0) == -5'400'000);
  const auto paris = Zone::Parse("Europe/Paris");
  REQUIRE(paris.ok());
  CHECK(paris->OffsetMs(1764504000000) == 3'600'000);  // 2025-11-30, winter
  CHECK(paris->FromLocal(paris->ToLocal(1764504000000)) == 1764504000000);
  CHECK_FALSE(Zone::Parse("europe/paris").ok());
  CHECK_FALSE(Zone::Parse("Atlantis").ok());
}

}  // namespace trellis::eval
