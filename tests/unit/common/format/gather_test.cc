#include "common/format/gather.h"

#include <algorithm>
#include <random>

#include "common/base/bits.h"
#include "tests/testing/every_instruction_set.h"

namespace trellis::format {
namespace {

constexpr uint32_t kCount = 600;

std::vector<uint8_t> RandomBytes(size_t size) {
  std::mt19937 random(static_cast<uint32_t>(size));
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// The definition, bit by bit.
uint64_t ValueAt(ByteView bytes, uint64_t position, uint64_t width) {
  uint64_t value = 0;
  for (uint64_t bit = position * width; bit < (position + 1) * width; ++bit) {
    value = value << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
  }
  return value;
}

std::vector<uint32_t> Every(uint32_t step, uint32_t first) {
  std::vector<uint32_t> positions;
  for (uint32_t position = first; position < kCount; position += step)
    positions.push_back(position);
  return positions;
}

// Lists that are wrong at one place only, at the start, in the middle of vectors and at the end.
std::vector<std::vector<uint32_t>> BadLists() {
  std::vector<std::vector<uint32_t>> lists;
  const std::vector<uint32_t> good = Every(3, 1);
  for (const size_t at : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, size_t{100},
                          good.size() - 2, good.size() - 1}) {
    for (const uint32_t bad : {kCount, kCount + 1, 1U << 27, 1U << 31, UINT32_MAX}) {
      lists.push_back(good);
      lists.back()[at] = bad;
    }
    if (at == 0) continue;
    for (const uint32_t bad : {good[at - 1], good[at - 1] - 1, 0U}) {
      lists.push_back(good);
      lists.back()[at] = bad;
    }
  }
  return lists;
}

TEST_CASE("values of every width are gathered at the end of a page as the bits say") {
  GuardedBytes guarded(kCount * 4);
  WithEveryInstructionSet([&] {
    for (uint64_t width = 1; width <= 32; ++width) {
      const std::vector<uint8_t> bytes = RandomBytes(CeilDivide(kCount * width, 8));
      const PackedValues values = {guarded.Place(bytes), kCount, width};
      for (const auto& positions : {Every(1, 0), Every(1, 7), Every(3, 2), Every(17, 12)}) {
        for (const size_t wanted : {positions.size(), positions.size() / 2, size_t{1}, size_t{0}}) {
          CAPTURE(width, positions.size(), wanted);
          std::vector<uint32_t> out(wanted + 1, 7), expected;
          uint32_t highest = 0;
          for (size_t i = 0; i < wanted; ++i) {
            expected.push_back(static_cast<uint32_t>(ValueAt(bytes, positions[i], width)));
            highest = std::max(highest, expected.back());
          }
          expected.push_back(7);  // one more, which must stay
          REQUIRE(GatherAscendingBits(values, positions, std::span(out).first(wanted)) == highest);
          REQUIRE(out == expected);
        }
      }
    }
  });
}

TEST_CASE("values of 8 bytes are gathered at the end of a page") {
  GuardedBytes guarded(kCount * 8);
  const std::vector<uint8_t> bytes = RandomBytes(kCount * 8);
  WithEveryInstructionSet([&] {
    const ByteView values = guarded.Place(bytes);
    for (const auto& positions : {Every(1, 0), Every(3, 2), Every(40, 39)}) {
      std::vector<int64_t> out(positions.size() + 1, 7);
      REQUIRE(GatherAscendingBigEndian(values, positions, out.data()));
      for (size_t i = 0; i < positions.size(); ++i) {
        REQUIRE(static_cast<uint64_t>(out[i]) == ValueAt(bytes, positions[i], 64));
      }
      REQUIRE(out.back() == 7);
    }
  });
}

TEST_CASE("a list that does not ascend or leaves the values is refused, without touching them") {
  GuardedBytes guarded(kCount * 8);
  const std::vector<uint8_t> bytes = RandomBytes(kCount * 8);
  WithEveryInstructionSet([&] {
    for (const std::vector<uint32_t>& positions : BadLists()) {
      std::vector<uint32_t> out(positions.size());
      for (const uint64_t width : {1, 4, 13, 25, 26, 31, 32}) {
        const ByteView packed = ByteView(bytes).first(CeilDivide(kCount * width, 8));
        const PackedValues values = {guarded.Place(packed), kCount, width};
        REQUIRE(GatherAscendingBits(values, positions, out) == std::nullopt);
      }
      std::vector<double> numbers(positions.size());
      REQUIRE_FALSE(GatherAscendingBigEndian(guarded.Place(bytes), positions, numbers.data()));
    }
    std::vector<uint32_t> out(1);
    REQUIRE(GatherAscendingBits({{}, 0, 9}, std::vector<uint32_t>{0}, out) == std::nullopt);
  });
}

TEST_CASE("positions further apart than one vector can say are gathered") {
  // 2^27 positions and more, of one bit.
  constexpr uint64_t kFar = (uint64_t{1} << 28) + 100;
  std::vector<uint8_t> bytes(CeilDivide(kFar, 8));
  std::vector<uint32_t> positions, expected;
  const auto put = [&](uint64_t position, bool one) {
    positions.push_back(static_cast<uint32_t>(position));
    expected.push_back(one);
    if (one) bytes[position / 8] = static_cast<uint8_t>(bytes[position / 8] | 0x80 >> position % 8);
  };
  for (uint64_t i = 0; i < 40; ++i) put(i * 3, i % 2 == 0);
  for (uint64_t i = 0; i < 40; ++i) put((uint64_t{1} << 27) - 20 + i, i % 3 == 0);
  for (uint64_t i = 0; i < 40; ++i) put(kFar - 40 + i, i % 5 != 0);
  WithEveryInstructionSet([&] {
    std::vector<uint32_t> out(positions.size());
    REQUIRE(GatherAscendingBits({bytes, kFar, 1}, positions, out) == 1U);
    REQUIRE(out == expected);
  });
}

}  // namespace
}  // namespace trellis::format
