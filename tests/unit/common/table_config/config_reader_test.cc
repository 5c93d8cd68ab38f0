#include "common/table_config/config_reader.h"

#include <catch2/catch.hpp>

namespace trellis::table_config {
namespace {

using Json = nlohmann::json;

TEST_CASE("values are taken as Jackson takes them, absent and null alike") {
  const Json json = Json::parse(R"({"t": "x", "n": 5, "nt": "7", "b": true, "bt": "FALSE",
    "r": 0.5, "names": ["a", null, 3], "one": "z", "nothing": null, "size": "1.5M"})");
  std::vector<std::string> warnings;
  ConfigReader reader(json, "p", &warnings);
  CHECK(**reader.Text("t") == "x");
  CHECK(**reader.Text("n") == "5");
  CHECK(**reader.Integer("n") == 5);
  CHECK(**reader.Integer("nt") == 7);
  CHECK(**reader.Flag("b"));
  CHECK_FALSE(**reader.Flag("bt"));
  CHECK(**reader.Number("r") == 0.5);
  CHECK(*reader.Names("names") == std::vector<std::string>{"a", "3"});
  CHECK(*reader.Names("one", /*or_text=*/true) == std::vector<std::string>{"z"});
  CHECK_FALSE(reader.Text("nothing")->has_value());
  CHECK_FALSE(reader.Integer("absent")->has_value());
  CHECK(**reader.DataSize("size") == 1572864);
  reader.WarnOfUnknown({});
  CHECK(warnings.empty());
}

TEST_CASE("a value of the wrong kind names the key's path and the value") {
  const Json json = Json::parse(R"({"t": [1], "n": "five", "f": 1.5, "b": 3, "names": "a",
    "o": 7, "l": {}, "big": 4294967296})");
  std::vector<std::string> warnings;
  ConfigReader reader(json, "a.b", &warnings);
  CHECK(reader.Integer("n").status().message() == "table config: a.b.n: 'five' is no integer");
  CHECK_FALSE(reader.Text("t").ok());
  CHECK_FALSE(reader.Integer("f").ok());
  CHECK_FALSE(reader.Integer("big").ok());
  CHECK_FALSE(reader.Flag("b").ok());
  CHECK_FALSE(reader.Names("names").ok());
  CHECK_FALSE(reader.Object("o").ok());
  CHECK_FALSE(reader.List("l").ok());
  const Json number = 7;
  CHECK(ConfigReader(number, "x", &warnings).CheckObject().message() ==
        "table config: x: '7' is no object");
}

// The answers of Pinot 1.5.1's DataSizeUtils.
TEST_CASE("sizes have an optional unit in either case") {
  const auto size = [](const char* text) {
    const Json json = {{"s", text}};
    std::vector<std::string> warnings;
    const auto read = ConfigReader(json, "", &warnings).DataSize("s");
    return read.ok() ? **read : -1;
  };
  CHECK(size("8K") == 8192);
  CHECK(size("8kb") == 8192);
  CHECK(size("100") == 100);
  CHECK(size("100B") == 100);
  CHECK(size("1T") == 1099511627776);
  CHECK(size("1P") == 1125899906842624);
  CHECK(size("9999999999G") == 9223372036854775807);
  for (const char* wrong : {"-1K", " 8K", "8 K", "K", "", "8Ki", "1.K", ".5K", "1..5K", "8KK"}) {
    CAPTURE(wrong);
    CHECK(size(wrong) == -1);
  }
}

TEST_CASE("keys nobody asked for are warned of, with the nearest known name") {
  const Json json = {{"nullHandlingEnabld", true}, {"loadMode", "MMAP"}, {"odd\nkey", 1}};
  std::vector<std::string> warnings;
  ConfigReader reader(json, "t", &warnings);
  (void)reader.Flag("nullHandlingEnabled");
  reader.WarnOfUnknown(std::vector<std::string>{"loadMode"});
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0] == "t.nullHandlingEnabld: unknown key (did you mean 'nullHandlingEnabled'?)");
  CHECK(warnings[1] == "t.odd key: unknown key");
}

}  // namespace
}  // namespace trellis::table_config
