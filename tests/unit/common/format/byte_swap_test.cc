#include "common/format/byte_swap.h"

#include <numeric>

#include "tests/testing/every_instruction_set.h"

namespace trellis::format {
namespace {

std::vector<uint8_t> CountingBytes(size_t size) {
  std::vector<uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  return bytes;
}

// Byte by byte, the first one on top.
template <class T>
T ValueAt(ByteView bytes, size_t position) {
  uint64_t bits = 0;
  for (size_t i = 0; i < sizeof(T); ++i) bits = bits << 8 | bytes[position * sizeof(T) + i];
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<uint32_t>(bits));
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(bits);
}

template <class T>
void CheckEveryCount() {
  constexpr size_t kCountMax = 70;
  GuardedBytes guarded(kCountMax * sizeof(T));
  for (size_t count = 0; count <= kCountMax; ++count) {
    CAPTURE(count);
    const std::vector<uint8_t> bytes = CountingBytes(count * sizeof(T));
    std::vector<T> values(count + 1, T{7});  // one more, which must stay
    LoadBigEndianValues(guarded.Place(bytes).data(), std::span(values).first(count));
    for (size_t i = 0; i < count; ++i) REQUIRE(values[i] == ValueAt<T>(bytes, i));
    REQUIRE(values[count] == T{7});
  }
}

TEST_CASE("big-endian values of either width are read up to the end of a page") {
  WithEveryInstructionSet([] {
    CheckEveryCount<int32_t>();
    CheckEveryCount<int64_t>();
    CheckEveryCount<float>();
    CheckEveryCount<double>();
  });
}

TEST_CASE("values are gathered by positions that count from anywhere") {
  const std::vector<uint8_t> bytes = CountingBytes(40);
  const std::vector<uint32_t> positions = {1004, 1000, 1003, 1003};
  std::vector<int64_t> values(4);
  GatherBigEndianValues(bytes.data(), 1000, positions, std::span(values));
  for (size_t i = 0; i < 4; ++i) CHECK(values[i] == ValueAt<int64_t>(bytes, positions[i] - 1000));
}

}  // namespace
}  // namespace trellis::format
