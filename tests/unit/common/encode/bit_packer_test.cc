#include "common/encode/bit_packer.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "common/format/bit_stream.h"

namespace trellis::encode {
namespace {

TEST_CASE("three bits are packed from the top", "[bit_packer]") {
  std::vector<uint32_t> values(kPackGroup);
  values[0] = 0b101;
  values[1] = 0b001;
  values[2] = 0b111;  // across the first two bytes
  values[63] = 0b011;
  std::vector<uint8_t> bytes(24, 0xEE);
  PackGroups(3, values, bytes.data());
  std::vector<uint8_t> expected(24);
  expected[0] = 0b101'001'11;
  expected[1] = 0b1'0000000;
  expected[23] = 0b00000'011;
  CHECK(bytes == expected);
}

TEST_CASE("every width is read back by the reader", "[bit_packer]") {
  std::mt19937 random(7);
  for (int bits = 1; bits <= 31; ++bits) {
    std::vector<uint32_t> values(3 * kPackGroup);
    for (uint32_t& value : values) value = static_cast<uint32_t>(random()) >> (32 - bits);
    values[5] = (uint32_t{1} << bits) - 1;
    std::vector<uint8_t> bytes(values.size() / 8 * static_cast<size_t>(bits));
    PackGroups(bits, values, bytes.data());
    const auto stream = format::BitStream::Open(bytes, values.size(), bits);
    REQUIRE(stream.ok());
    std::vector<uint32_t> read(values.size());
    stream->Unpack(0, read);
    INFO(bits);
    CHECK(read == values);
  }
}

TEST_CASE("a value of more bits is seen", "[bit_packer]") {
  const std::vector<uint32_t> values = {1, 7, 0, 4};
  CHECK(AllFit(3, values));
  CHECK(!AllFit(2, values));
  CHECK(AllFit(1, {}));
  CHECK(!AllFit(31, std::vector<uint32_t>{0x80000000}));
}

}  // namespace
}  // namespace trellis::encode
