#include "common/base/bytes.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis {
namespace {

TEST_CASE("a reader reads both byte orders and stops at the end") {
  const std::string bytes("\x01\x02\x03\x04\x05\x06\x07", 7);
  ByteReader reader(AsBytes(bytes));
  CHECK(reader.ReadBigEndian<uint16_t>().value() == 0x0102);
  CHECK(reader.ReadLittleEndian<uint32_t>().value() == 0x06050403);
  CHECK(reader.remaining() == 1);
  CHECK_FALSE(reader.ReadBigEndian<uint16_t>().ok());
  CHECK(reader.position() == 6);  // a refused read moves nothing
  CHECK(AsText(reader.ReadBytes(1).value()) == "\x07");
  CHECK(reader.at_end());
}

TEST_CASE("a length beyond the end is refused however large it is") {
  const std::string bytes = "abc";
  ByteReader reader(AsBytes(bytes));
  for (const size_t size : {size_t{4}, ~size_t{0}, ~size_t{0} - 1}) {
    CAPTURE(size);
    CHECK_FALSE(reader.ReadBytes(size).ok());
  }
  CHECK(reader.ReadBytes(0).ok());
  CHECK(reader.ReadBytes(3).ok());
}

TEST_CASE("big-endian stores read back, floating values included") {
  uint8_t buffer[8];
  StoreBigEndian<double>(-1.5, buffer);
  CHECK(buffer[0] == 0xBF);
  CHECK(LoadBigEndian<double>(buffer) == -1.5);
  StoreBigEndian<int64_t>(-2, buffer);
  CHECK(buffer[7] == 0xFE);
  CHECK(LoadBigEndian<int64_t>(buffer) == -2);
}

}  // namespace
}  // namespace trellis
