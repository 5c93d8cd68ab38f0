#include "common/format/bit_unpack.h"

#include <algorithm>
#include <random>

#include "common/base/bits.h"
#include "common/format/bit_stream.h"
#include "tests/testing/every_instruction_set.h"

namespace trellis::format {
namespace {

// The definition, bit by bit.
uint32_t ValueAt(ByteView bytes, uint64_t position, uint64_t width) {
  uint32_t value = 0;
  for (uint64_t bit = position * width; bit < (position + 1) * width; ++bit) {
    value = value << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
  }
  return value;
}

std::vector<uint8_t> RandomBytes(size_t size) {
  std::mt19937 random(static_cast<uint32_t>(size));
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST_CASE("every width and count unpacks at the end of a page as the bits say") {
  constexpr size_t kCountMax = 130;
  GuardedBytes guarded(kCountMax * 4);
  WithEveryInstructionSet([&] {
    for (uint64_t width = 1; width <= 31; ++width) {
      for (size_t count = 0; count <= kCountMax; ++count) {
        CAPTURE(width, count);
        const std::vector<uint8_t> bytes = RandomBytes(CeilDivide(count * width, 8));
        std::vector<uint32_t> expected(count);
        for (size_t i = 0; i < count; ++i) expected[i] = ValueAt(bytes, i, width);
        std::vector<uint32_t> out(count);
        const uint32_t highest = UnpackBits(guarded.Place(bytes), width, out);
        REQUIRE(out == expected);
        REQUIRE(highest == (count == 0 ? 0 : *std::max_element(expected.begin(), expected.end())));
      }
    }
  });
}

TEST_CASE("every start of a stream unpacks and is gathered at the end of a page") {
  constexpr size_t kCount = 130;
  GuardedBytes guarded(kCount * 4);
  WithEveryInstructionSet([&] {
    for (uint64_t width = 1; width <= 31; ++width) {
      const std::vector<uint8_t> bytes = RandomBytes(CeilDivide(kCount * width, 8));
      const BitStream stream =
          BitStream::Open(guarded.Place(bytes), kCount, static_cast<int>(width)).value();
      std::vector<uint32_t> expected(kCount);
      for (size_t i = 0; i < kCount; ++i) expected[i] = ValueAt(bytes, i, width);
      for (size_t first = 0; first <= kCount; ++first) {
        CAPTURE(width, first);
        // To the end, where loads are short of room, and a few values, where they are not.
        for (const size_t count : {kCount - first, std::min<size_t>(kCount - first, 11)}) {
          std::vector<uint32_t> out(count);
          const uint32_t highest = stream.Unpack(first, out);
          const auto from = expected.begin() + static_cast<ptrdiff_t>(first);
          REQUIRE(std::equal(out.begin(), out.end(), from));
          REQUIRE(highest == (count == 0 ? 0 : *std::max_element(out.begin(), out.end())));
        }
        if (first == kCount) continue;
        uint32_t out = 0;
        const auto position = static_cast<uint32_t>(first);
        REQUIRE(stream.GatherAscending(std::span(&position, 1), std::span(&out, 1)) ==
                expected[first]);
        REQUIRE(out == expected[first]);
      }
    }
  });
}

TEST_CASE("any ascending positions are gathered, whatever stands behind those that are wanted") {
  constexpr size_t kCount = 1000;
  GuardedBytes guarded(kCount * 4);
  WithEveryInstructionSet([&] {
    for (uint64_t width = 1; width <= 31; ++width) {
      const std::vector<uint8_t> bytes = RandomBytes(CeilDivide(kCount * width, 8));
      const BitStream stream =
          BitStream::Open(guarded.Place(bytes), kCount, static_cast<int>(width)).value();
      for (const uint32_t step : {1U, 3U, 17U}) {
        std::vector<uint32_t> positions;
        for (uint32_t position = 2; position < kCount; position += step) {
          positions.push_back(position);
        }
        for (const size_t wanted : {positions.size(), positions.size() / 2, size_t{1}}) {
          CAPTURE(width, step, wanted);
          std::vector<uint32_t> expected, out(wanted);
          for (size_t i = 0; i < wanted; ++i) {
            expected.push_back(ValueAt(bytes, positions[i], width));
          }
          const uint32_t highest = stream.GatherAscending(positions, out).value();
          REQUIRE(out == expected);
          REQUIRE(highest == *std::max_element(expected.begin(), expected.end()));
        }
      }
    }
  });
}

TEST_CASE("values beyond the count do not raise the highest one") {
  WithEveryInstructionSet([&] {
    const std::vector<uint8_t> bytes = {0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    std::vector<uint32_t> out(2);
    CHECK(UnpackBits(bytes, 8, out) == 0);
    CHECK(UnpackBits(ByteView(bytes).first(3), 8, out) == 0);
  });
}

}  // namespace
}  // namespace trellis::format
