#include "common/format/bit_stream.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "common/base/bits.h"

namespace trellis::format {
namespace {

// Packs bit by bit, most significant first, as the format says it.
std::vector<uint8_t> Pack(const std::vector<uint32_t>& values, int width) {
  std::vector<uint8_t> bytes(CeilDivide(values.size() * static_cast<size_t>(width), 8));
  size_t at = 0;
  for (const uint32_t value : values) {
    for (int bit = width - 1; bit >= 0; --bit, ++at) {
      if (value >> bit & 1) bytes[at / 8] |= static_cast<uint8_t>(0x80 >> (at % 8));
    }
  }
  return bytes;
}

std::vector<uint32_t> RandomValues(size_t count, int width) {
  std::mt19937 random(static_cast<uint32_t>(count * 100 + static_cast<size_t>(width)));
  std::vector<uint32_t> values(count);
  for (uint32_t& value : values) value = random() & ((1U << width) - 1);
  return values;
}

TEST_CASE("every width and length unpacks to the values that were packed") {
  for (int width = 1; width <= 31; ++width) {
    for (const size_t count : {0, 1, 2, 7, 8, 9, 31, 64, 65, 200}) {
      CAPTURE(width, count);
      const std::vector<uint32_t> values = RandomValues(count, width);
      const std::vector<uint8_t> bytes = Pack(values, width);
      const BitStream stream = BitStream::Open(bytes, count, width).value();
      std::vector<uint32_t> out(count);
      stream.Unpack(0, out);
      CHECK(out == values);
      for (size_t i = 0; i < count; ++i) CHECK(stream.At(i) == values[i]);
    }
  }
}

TEST_CASE("any range of a stream unpacks to the same values") {
  for (const int width : {1, 3, 8, 13, 17, 31}) {
    const std::vector<uint32_t> values = RandomValues(50, width);
    const std::vector<uint8_t> bytes = Pack(values, width);
    const BitStream stream = BitStream::Open(bytes, values.size(), width).value();
    for (size_t first = 0; first < values.size(); ++first) {
      for (size_t last = first; last <= values.size(); ++last) {
        std::vector<uint32_t> out(last - first);
        stream.Unpack(first, out);
        REQUIRE(std::equal(out.begin(), out.end(), values.begin() + static_cast<long>(first)));
      }
    }
  }
}

TEST_CASE("gathering takes strictly ascending positions of the stream and no others") {
  const std::vector<uint32_t> values = RandomValues(100, 11);
  const std::vector<uint8_t> bytes = Pack(values, 11);
  const BitStream stream = BitStream::Open(bytes, values.size(), 11).value();
  const std::vector<uint32_t> positions = {0, 50, 51, 98, 99};
  std::vector<uint32_t> out(positions.size());
  const uint32_t highest = std::max({values[0], values[50], values[51], values[98], values[99]});
  CHECK(stream.GatherAscending(positions, out) == highest);
  for (size_t i = 0; i < positions.size(); ++i) CHECK(out[i] == values[positions[i]]);
  CHECK(stream.GatherAscending(std::vector<uint32_t>{0, 50, 50, 98, 99}, out) == std::nullopt);
  CHECK(stream.GatherAscending(std::vector<uint32_t>{0, 50, 51, 98, 100}, out) == std::nullopt);
  CHECK(stream.GatherAscending({}, {}) == 0U);
}

TEST_CASE("a stream of the wrong length or width is refused") {
  const std::vector<uint8_t> bytes(10);
  CHECK(BitStream::Open(bytes, 80, 1).ok());
  CHECK(BitStream::Open(bytes, 81, 1).status().IsCorrupt());
  CHECK(BitStream::Open(bytes, 72, 1).status().IsCorrupt());
  CHECK(BitStream::Open(bytes, 2, 32).status().IsCorrupt());
  CHECK(BitStream::Open(bytes, 2, 0).status().IsCorrupt());
  CHECK(BitStream::Open(bytes, 2, -1).status().IsCorrupt());
  CHECK(BitStream::Open(bytes, UINT64_MAX / 8, 8).status().IsCorrupt());
}

}  // namespace
}  // namespace trellis::format
