#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

namespace trellis::segment_names {

// Names that try the cutting: separators, quotes, numbers at every limit, dates that are none.
inline std::vector<std::string> NastyNames() {
  std::vector<std::string> names = {
      "",
      "0",
      "00",
      "7",
      "007",
      "a/b/c",
      "two words 12",
      "100%",
      "%31%32",
      "a,b,3",
      "\"quoted\" 'name' 5",
      "\\9",
      "[\"x\"]",
      "s\xc3\xa9gment_17",
      "\xff\xfe\x80_3",
      "x_999999999",
      "x_1000000000",
      "x_999999999999999999",
      "x_1000000000000000000",
      "x_9223372036854775807",
      "x_99999999999999999999999",
      "x_000000000000000001",
      "x_0000000000000000001",
      "t_2020-02-29",
      "t_2021-02-29",
      "t_2020-00-10",
      "t_2020-13-01",
      "t_2020-1-1",
      "t_0000-01-01",
      "t_9999-12-31",
      "t_12020-01-01",
      "t_2020-01-011",
      "t_2020-01-01x",
      "t_2020-01-01T05:03:07Z",
      "2020-01-12abcdef-1111-2222-3333-444444444444",
      "t_20200229T2359Z",
      "t_20210229T2359Z",
      "t_20200229T2400Z",
      "t_20200229T2360Z",
      "t_00000101T0000Z",
      "t_99991231T2359Z",
      "t_20200229T2359Zz",
      "u_123e4567-e89b-42d3-a456-426614174000",
      "u_123E4567-e89b-42d3-a456-426614174000",
      "u_123e4567-e89b-42d3-a456-42661417400",
      "u_123e4567-e89b-42d3-a456-4266141740000",
      "u_00000000-0000-0000-0000-000000000000",
      "u_ffffffff-ffff-ffff-ffff-ffffffffffff-8",
      "h_3c6e0b8a9c15224a8228b9a98ca1531d",
      "part-00000-123e4567-e89b-42d3-a456-426614174000-c000.gz",
      "1_2_3_4_5_6_7_8_9_10_11_12",
      "1_2_3_4_5_6_7_8_9_10_11_12_13",
      "1-2-3-4-5",
      "v1.2.3-4",
      "-1",
      "--",
      std::string("nul\0in_1", 8),
      std::string("\0", 1),
      std::string("\0\0"
                  "1",
                  3),
      std::string("\x01") + "\x10" + "5",
      std::string(250, 'n') + "_42",
      std::string(250, '9'),
  };
  names.push_back(std::string(1'020, 'k') + "1234");
  names.push_back(std::string(1'020, 'k') + "12345");
  names.push_back(std::string(20'000, 'm') + "_3");
  return names;
}

// Short names over few characters: near misses of every kind of value.
inline std::string RandomName(std::mt19937_64& random) {
  static constexpr std::string_view kPieces[] = {
      "0",        "1",
      "7",        "9",
      "20",       "2020",
      "-",        "-",
      "_",        "T",
      "Z",        "a",
      "f",        "g",
      "/",        "2020-01-02",
      "-01-",     "20260105T0613Z",
      "%",        "\0",
      "0000",     "1234567890",
      "\x01x",    "-dead-beef-cafe-",
      "12345678", "123e4567-e89b-42d3-a456-426614174000"};
  std::string name;
  for (uint64_t left = random() % 9; left > 0; --left) {
    name += kPieces[random() % std::size(kPieces)];
  }
  return name;
}

}  // namespace trellis::segment_names
