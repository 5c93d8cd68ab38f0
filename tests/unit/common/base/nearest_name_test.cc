#include "common/base/nearest_name.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace trellis {
namespace {

const std::vector<std::string> kNames = {"station", "stations", "minutes", "fare"};

TEST_CASE("a misspelling finds its name") {
  CHECK(NearestName("statoin", kNames) == "station");
  CHECK(NearestName("MINUTE", kNames) == "minutes");
}

TEST_CASE("a name that resembles nothing finds nothing") {
  CHECK(NearestName("weather", kNames).empty());
  CHECK(NearestName("x", kNames).empty());
  CHECK(NearestName("fare", {}).empty());
  CHECK(DidYouMean("weather", kNames).empty());
}

TEST_CASE("a suggestion quotes the name as it is spelled") {
  const std::vector<std::string> names = {"homeRuns"};
  CHECK(DidYouMean("homeruns", names) == " (did you mean 'homeRuns'?)");
}

TEST_CASE("case is ignored for ASCII letters only") {
  CHECK(EqualsIgnoreCase("Station", "sTATION"));
  CHECK_FALSE(EqualsIgnoreCase("Station", "Stations"));
  CHECK_FALSE(EqualsIgnoreCase("\xc3\x84", "\xc3\xa4"));  // Ä and ä
  CHECK(ToLowerAscii("ABC\xc3\x84z") == "abc\xc3\x84z");
}

}  // namespace
}  // namespace trellis
