#include "common/column/map_keys.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace trellis::column {
namespace {

using std::string_literals::operator""s;
using Random = std::mt19937_64;

std::string Length(size_t v) {
  std::string bytes(4, '\0');
  StoreBigEndian(static_cast<uint32_t>(v), reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

// Keys that are easily taken for one another: of one length, prefixes, with NULs, JSON texts, long
// ones that differ in one place.
std::vector<std::string> KeyPool() {
  std::vector<std::string> pool = {"",
                                   "a",
                                   "b",
                                   "ab",
                                   "abc",
                                   "abcd",
                                   "abcdefg",
                                   "abcdefgh",
                                   "abcdefghi",
                                   "bbcdefghi",
                                   "\0"s,
                                   "\0\0\0\0"s,
                                   "a\0"s,
                                   "\0a"s,
                                   "\0\0\0\4true"s,
                                   "true",
                                   "null",
                                   "\"a\"",
                                   "12",
                                   "{\"a\":1}",
                                   "\xC3\xA9",
                                   "\xF0\x9F\x98\x80",
                                   "\xff"};
  const std::string of_sixteen = "0123456789abcdef";
  const std::string of_forty = of_sixteen + of_sixteen + "01234567";
  for (std::string text : {of_sixteen, of_sixteen + "g", of_forty}) {
    pool.push_back(text);
    for (const size_t place : {size_t{0}, size_t{7}, size_t{8}, text.size() - 8, text.size() - 1}) {
      pool.push_back(text);
      pool.back()[place] = '!';
    }
  }
  for (int i = 0; i < 70; ++i) pool.push_back("k8s.attr." + std::to_string(100 + i));
  std::sort(pool.begin(), pool.end());
  pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  return pool;
}

const std::string& OneOf(const std::vector<std::string>& pool, Random& random) {
  return pool[random() % pool.size()];
}

// A frame in any order, with repeated keys, and with values that look like entries.
std::string RandomFrame(const std::vector<std::string>& pool, Random& random) {
  const size_t count = random() % 20;
  std::string frame = Length(count);
  for (size_t i = 0; i < count; ++i) {
    const std::string& key = OneOf(pool, random);
    std::string value = OneOf(pool, random);
    if (random() % 4 == 0) value = Length(value.size()) + value + Length(1) + "7";
    frame += Length(key.size()) + key + Length(value.size()) + value;
  }
  return frame;
}

std::string Damage(std::string frame, Random& random) {
  if (random() % 2 == 0) return frame.substr(0, random() % (frame.size() + 1));
  const size_t at = random() % frame.size();
  const char bytes[] = {'\x00', '\x01', '\x7f', '\x80', '\xff'};
  frame[at] = bytes[random() % std::size(bytes)];
  return frame;
}

uint64_t NumberAt(std::string_view frame, size_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(frame[at + i]);
  return number;
}

// What the first of each key's entries holds, or nullopt if the frame is damaged before the last of
// the keys is found: plainly, as format notes 6.2 say.
using Found = std::vector<std::optional<std::string_view>>;
std::optional<Found> WalkPlainly(std::string_view frame, const std::vector<std::string>& keys) {
  Found found(keys.size());
  if (frame.size() < 4 || NumberAt(frame, 0) > 0x7fffffff) return std::nullopt;
  size_t at = 4;
  for (uint64_t left = NumberAt(frame, 0); left > 0; --left) {
    if (std::find(found.begin(), found.end(), std::nullopt) == found.end()) return found;
    std::string_view texts[2];
    for (std::string_view& text : texts) {
      if (frame.size() - at < 4) return std::nullopt;
      const uint64_t size = NumberAt(frame, at);
      if (size > frame.size() - at - 4) return std::nullopt;
      text = frame.substr(at + 4, size);
      at += 4 + size;
    }
    const auto key = std::find(keys.begin(), keys.end(), texts[0]);
    if (key == keys.end()) continue;
    auto& value = found[static_cast<size_t>(key - keys.begin())];
    if (!value.has_value()) value = texts[1];
  }
  return found;
}

std::vector<std::string> DrawKeys(std::vector<std::string> pool, size_t count, Random& random) {
  std::shuffle(pool.begin(), pool.end(), random);
  pool.resize(count);
  return pool;
}

void Compare(const std::vector<std::string>& frames, const std::vector<uint8_t>& nulls,
             const std::vector<std::string>& keys) {
  const std::vector<std::string_view> rows(frames.begin(), frames.end());
  const std::vector<std::string_view> names(keys.begin(), keys.end());
  const MapKeySet set(names);
  REQUIRE(set.size() == keys.size());
  std::vector<std::string_view> values(rows.size() * keys.size() + 1, "untouched");
  size_t failed_row = 0;
  const Status status =
      set.Find(rows, nulls.empty() ? nullptr : nulls.data(), values.data(), failed_row);
  CHECK(values.back() == "untouched");
  for (size_t row = 0; row < rows.size(); ++row) {
    Found expected(keys.size());
    if (nulls.empty() || nulls[row] == 0) {
      const std::optional<Found> found = WalkPlainly(rows[row], keys);
      if (!found.has_value()) {
        CHECK(status.IsCorrupt());
        CHECK(failed_row == row);
        return;
      }
      expected = *found;
    }
    if (!status.ok()) continue;
    for (size_t k = 0; k < keys.size(); ++k) {
      const std::string_view value = values[row * keys.size() + k];
      const bool same = expected[k].has_value() == (value.data() != nullptr) &&
                        (!expected[k].has_value() ||
                         (value.data() == expected[k]->data() && value == *expected[k]));
      if (!same) {
        CAPTURE(row, k, keys[k]);
        FAIL_CHECK("another value");
      }
    }
  }
  CHECK(status.ok());
}

TEST_CASE("keys are found in whole frames as a plain walk finds them") {
  Random random(19273);
  const std::vector<std::string> pool = KeyPool();
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    std::vector<std::string> frames(random() % 40);
    for (std::string& frame : frames) frame = RandomFrame(pool, random);
    std::vector<uint8_t> nulls;
    if (round % 3 == 0) {
      for (size_t row = 0; row < frames.size(); ++row) nulls.push_back(random() % 3 == 0);
    }
    Compare(frames, nulls, DrawKeys(pool, 1 + (round % 2) * (random() % 64), random));
  }
}

TEST_CASE("the first damaged row is named, whatever else is walked with it") {
  Random random(7931);
  const std::vector<std::string> pool = KeyPool();
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    std::vector<std::string> frames(1 + random() % 30);
    for (std::string& frame : frames) {
      frame = RandomFrame(pool, random);
      if (random() % 10 == 0) frame = Damage(frame, random);
    }
    Compare(frames, {}, DrawKeys(pool, 1 + (round % 2) * (random() % 64), random));
  }
}

TEST_CASE("a frame of 2^31-1 entries, and lengths below zero, end the walk") {
  const std::string one = Length(1) + "a" + Length(1) + "1";
  Compare({Length(1) + one, Length(0x7fffffff) + one}, {}, {"b"});
  Compare({Length(1) + one, Length(0x80000000) + one}, {}, {"a"});
  Compare({Length(1) + Length(0xffffffff) + "a" + Length(1) + "1"}, {}, {"a"});
  Compare({Length(1) + Length(1) + "a" + Length(0xfffffff0) + "1"}, {}, {"a"});
  Compare({""}, {}, {"a"});
  Compare({"", Length(1) + one}, {1, 0}, {"a"});
  Compare({}, {}, {"a"});
}

TEST_CASE("a key is compared whole") {
  const EncodedKey key("abcdefghij");
  const auto equals = [&](std::string_view other) {
    const std::string framed = "12345678" + std::string(other);
    return key.Equals(framed.data() + 8, static_cast<uint32_t>(other.size()));
  };
  CHECK(equals("abcdefghij"));
  CHECK_FALSE(equals("xbcdefghij"));
  CHECK_FALSE(equals("abcdefghix"));
  CHECK_FALSE(equals("bcdefghij"));
}

}  // namespace
}  // namespace trellis::column
