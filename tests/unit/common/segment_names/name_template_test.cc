#include "common/segment_names/name_template.h"

#include <catch2/catch.hpp>
#include <memory>

#include "tests/unit/common/segment_names/sample_names.h"

namespace trellis::segment_names {

namespace {

std::string Key(std::string_view name) {
  TokenizedName cut;
  return Tokenize(name, cut) ? std::string(cut.key()) : "no template";
}
std::vector<int64_t> Lanes(std::string_view name) {
  TokenizedName cut;
  if (!Tokenize(name, cut)) return {};
  return {cut.lanes.begin(), cut.lanes.begin() + cut.lane_count};
}
std::string Text(const NameTemplate& name_template, const int64_t* lanes) {
  std::string text;
  char value[64 + kTextSlack];
  for (const NameTemplate::Column& column : name_template.columns) {
    text += name_template.literals.substr(column.literal_begin, column.literal_size);
    text.append(value, PutValue(column, lanes, 1, value));
  }
  return text + name_template.literals.substr(name_template.tail_begin, name_template.tail_size);
}
// What a value's mark in a template's bytes is.
std::string Mark(char mark) { return std::string(1, '\0') + mark; }

}  // namespace

TEST_CASE("a name is cut into literal text and values", "[segment_names]") {
  CHECK(Key("events_OFFLINE_2020-01-01_2020-01-02_17") ==
        "events_OFFLINE_" + Mark(3) + "_" + Mark(3) + "_" + Mark(1));
  CHECK(Lanes("events_OFFLINE_2020-01-01_2020-01-02_17") == std::vector<int64_t>{18262, 18263, 17});
  CHECK(Key("events__5__17__20260105T0613Z") ==
        "events__" + Mark(1) + "__" + Mark(1) + "__" + Mark(4));
  // date -u -d '2026-01-05 06:13' +%s is 1767593580.
  CHECK(Lanes("events__5__17__20260105T0613Z") == std::vector<int64_t>{5, 17, 1767593580 / 60});
  CHECK(Lanes("x_1969-12-31") == std::vector<int64_t>{-1});
  CHECK(Key("u_123e4567-e89b-42d3-a456-426614174000.gz") == "u_" + Mark(5) + ".gz");
  CHECK(Lanes("u_123e4567-e89b-42d3-a456-426614174000.gz") ==
        std::vector<int64_t>{0x123e4567e89b42d3 ^ INT64_MIN, 0x2456426614174000});
}

TEST_CASE("numbers keep their zeros", "[segment_names]") {
  CHECK(Key("a007b0") == "a" + Mark(0x13) + "b" + Mark(1));
  CHECK(Lanes("a007b0") == std::vector<int64_t>{7, 0});
  CHECK(Key("x_999999999") == "x_" + Mark(1));
  CHECK(Key("x_1000000000") == "x_" + Mark(2));
  CHECK(Key("x_999999999999999999") == "x_" + Mark(2));
  CHECK(Key("x_000000000000000001") == "x_" + Mark(0x10 + 18));
  CHECK(Key("x_1000000000000000000") == "no template");
  CHECK(Key("x_1000000000000000000_1") == "x_1000000000000000000_" + Mark(1));
}

TEST_CASE("what looks like a date may be none", "[segment_names]") {
  CHECK(Key("2020-02-29") == Mark(3));
  CHECK(Key("2021-02-29") == Mark(1) + "-" + Mark(0x12) + "-" + Mark(1));
  CHECK(Key("2020-02-29T07") == Mark(3) + "T" + Mark(0x12));
  CHECK(Key("2020-02-29x") == Mark(1) + "-" + Mark(0x12) + "-" + Mark(1) + "x");
  CHECK(Key("20210229T0000Z") == Mark(1) + "T" + Mark(0x14) + "Z");
  CHECK(Key("20200229T2359Z") == Mark(4));
  CHECK(Key("20200229T2360Z") == Mark(1) + "T" + Mark(1) + "Z");
  CHECK(Key("x20200229T2359Z") == "x" + Mark(1) + "T" + Mark(1) + "Z");
}

TEST_CASE("hashes, long names and names of many values are text", "[segment_names]") {
  CHECK(Key("h_3c6e0b8a9c15224a8228b9a98ca1531d") == "no template");
  CHECK(Key("a1b2c3") == "a" + Mark(1) + "b" + Mark(1) + "c" + Mark(1));
  CHECK(Key("a1b2c3d4") == "no template");
  CHECK(Key("1_2_3_4_5_6_7_8_9_10_11_12") != "no template");
  CHECK(Key("1_2_3_4_5_6_7_8_9_10_11_12_13") == "no template");
  CHECK(Key("1_2_3_4_5_6_7_8_9_10_11_123e4567-e89b-42d3-a456-426614174000") == "no template");
  CHECK(Key(std::string(1'023, 'k') + "1") != "no template");
  CHECK(Key(std::string(1'024, 'k') + "1") == "no template");
}

TEST_CASE("template and values give exactly the name", "[segment_names]") {
  std::vector<std::string> names = NastyNames();
  std::mt19937_64 random(7);
  for (int i = 0; i < 50'000; ++i) names.push_back(RandomName(random));
  size_t templated = 0;
  for (const std::string& name : names) {
    TokenizedName cut;
    if (!Tokenize(name, cut)) continue;
    ++templated;
    NameTemplate parsed;
    REQUIRE(ParseTemplate(cut.key(), parsed));
    REQUIRE(parsed.lane_count == cut.lane_count);
    for (const NameTemplate::Column& column : parsed.columns) {
      REQUIRE(cut.lanes[column.lane] >= column.value_min);
      REQUIRE(cut.lanes[column.lane] <= column.value_max);
    }
    INFO(name);
    REQUIRE(Text(parsed, cut.lanes.data()) == name);
    REQUIRE(name.size() <= parsed.name_bytes_max);
  }
  CHECK(templated > names.size() / 2);
}

TEST_CASE("any value fits means that other values are cut the same", "[segment_names]") {
  std::mt19937_64 random(11);
  size_t fitting = 0;
  size_t recut = 0;
  for (int i = 0; i < 50'000; ++i) {
    TokenizedName cut;
    if (!Tokenize(RandomName(random), cut)) continue;
    NameTemplate parsed;
    REQUIRE(ParseTemplate(cut.key(), parsed));
    for (const NameTemplate::Column& column : parsed.columns) {
      // Numbers of as many digits as dates, minutes and UUIDs are made of, where they fit.
      static constexpr int64_t kTelling[] = {12, 2020, 20260105, 613, 4, 426614174000};
      int64_t value = kTelling[random() % std::size(kTelling)];
      if (value < column.value_min || value > column.value_max || random() % 4 == 0) {
        const uint64_t span =
            static_cast<uint64_t>(column.value_max) - static_cast<uint64_t>(column.value_min);
        value = static_cast<int64_t>(static_cast<uint64_t>(column.value_min) +
                                     (span == UINT64_MAX ? random() : random() % (span + 1)));
      }
      cut.lanes[column.lane] = value;
    }
    const std::string other = Text(parsed, cut.lanes.data());
    INFO(other);
    if (parsed.any_value_fits) {
      ++fitting;
      REQUIRE(Key(other) == parsed.key);
    } else {
      recut += Key(other) != parsed.key;
    }
  }
  CHECK(fitting > 10'000);
  CHECK(recut > 10);
  NameTemplate parsed;
  REQUIRE(ParseTemplate(Key("events_OFFLINE_2020-01-01_2020-01-02_17"), parsed));
  CHECK(parsed.any_value_fits);
  REQUIRE(ParseTemplate(Key("my-long-table-of-names-17"), parsed));
  CHECK(parsed.any_value_fits);
  REQUIRE(ParseTemplate(Key("x_5-3-1"), parsed));
  CHECK_FALSE(parsed.any_value_fits);
  REQUIRE(ParseTemplate(Key("dead1234-beef-cafe-babe-"), parsed));
  CHECK_FALSE(parsed.any_value_fits);
}

TEST_CASE("bytes that are no template are refused", "[segment_names]") {
  NameTemplate parsed;
  CHECK_FALSE(ParseTemplate("", parsed));
  CHECK_FALSE(ParseTemplate("text", parsed));
  CHECK_FALSE(ParseTemplate(std::string("text\0", 5), parsed));
  CHECK_FALSE(ParseTemplate(Mark(6), parsed));
  CHECK_FALSE(ParseTemplate(Mark(0x11), parsed));
  CHECK_FALSE(ParseTemplate(Mark(0x10 + 19), parsed));
  CHECK_FALSE(ParseTemplate(Mark('\xff'), parsed));
  std::string many;
  for (size_t i = 0; i < kLanesMax; ++i) many += Mark(1);
  CHECK(ParseTemplate(many, parsed));
  CHECK_FALSE(ParseTemplate(many + Mark(1), parsed));
  CHECK(ParseTemplate(std::string(2'046, 'x') + Mark(1), parsed));
  CHECK_FALSE(ParseTemplate(std::string(2'047, 'x') + Mark(1), parsed));
}

}  // namespace trellis::segment_names
