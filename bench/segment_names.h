#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/base/check.h"

namespace trellis::bench {

// Seed of every generator of the benchmarks.
inline constexpr uint64_t kSeed = 42;
// Names are drawn without repetition from this many times as many.
inline constexpr uint64_t kUniverseFactor = 10;

inline std::chrono::year_month_day DayOf(std::chrono::sys_days first, int days) {
  return first + std::chrono::days(days);
}

inline std::string DashedDay(std::chrono::year_month_day day) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

// "events_OFFLINE_2020-01-01_2020-01-02_17": 200 numbers a day from 2020-01-01.
inline std::string OfflineName(uint64_t index) {
  constexpr uint64_t kNumbersADay = 200;
  constexpr std::chrono::sys_days kFirst = std::chrono::year(2020) / 1 / 1;
  const int day = static_cast<int>(index / kNumbersADay);
  return fmt::format("events_OFFLINE_{}_{}_{}", DashedDay(DayOf(kFirst, day)),
                     DashedDay(DayOf(kFirst, day + 1)), index % kNumbersADay);
}

// "events__5__17__20260105T0613Z": 64 partitions; sequence s of a partition starts at 2026-01-01 +
// 6 h * s and a random number of minutes below 360.
inline std::string RealtimeName(uint64_t index, std::mt19937_64& random) {
  constexpr uint64_t kPartitions = 64;
  constexpr uint64_t kMinutesASequence = 360;
  constexpr uint64_t kMinutesADay = 24 * 60;
  constexpr std::chrono::sys_days kFirst = std::chrono::year(2026) / 1 / 1;
  const uint64_t sequence = index / kPartitions;
  const uint64_t minutes = sequence * kMinutesASequence + random() % kMinutesASequence;
  const auto day = DayOf(kFirst, static_cast<int>(minutes / kMinutesADay));
  const uint64_t minute = minutes % kMinutesADay;
  return fmt::format("events__{}__{}__{:04}{:02}{:02}T{:02}{:02}Z", index % kPartitions, sequence,
                     static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()), minute / 60, minute % 60);
}

// "events_OFFLINE_" and a random version-4 UUID.
inline std::string UuidName(std::mt19937_64& random) {
  const uint64_t high = (random() & ~uint64_t{0xf000}) | 0x4000;
  const uint64_t low = (random() & ~(uint64_t{3} << 62)) | uint64_t{1} << 63;
  return fmt::format("events_OFFLINE_{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32,
                     high >> 16 & 0xffff, high & 0xffff, low >> 48, low & 0xffffffffffff);
}

// `count` names of a scheme ("offline", "realtime", "uuid"), drawn from a universe of ten times as
// many, sorted.
inline std::vector<std::string> SegmentNames(std::string_view naming, size_t count) {
  TRELLIS_CHECK(naming == "offline" || naming == "realtime" || naming == "uuid");
  std::mt19937_64 random(kSeed);
  std::unordered_set<uint64_t> drawn;
  std::vector<std::string> names;
  names.reserve(count);
  while (names.size() < count) {
    const uint64_t index = random() % (count * kUniverseFactor);
    if (!drawn.insert(index).second) continue;
    names.push_back(naming == "offline"    ? OfflineName(index)
                    : naming == "realtime" ? RealtimeName(index, random)
                                           : UuidName(random));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The random half of `count` that `known_half` and `names_protobuf_half` stand for: positions,
// ascending.
inline std::vector<uint32_t> RandomHalf(size_t count) {
  std::mt19937_64 random(kSeed);
  std::vector<uint32_t> half;
  for (uint32_t i = 0; i < count; ++i) {
    if (random() & 1) half.push_back(i);
  }
  return half;
}

}  // namespace trellis::bench
