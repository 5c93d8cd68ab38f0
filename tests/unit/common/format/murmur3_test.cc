#include "common/format/murmur3.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::format {
namespace {

// Values of the reference implementation (smhasher).
TEST_CASE("Murmur3 of known texts", "[murmur3]") {
  CHECK(Murmur3("").low == 0);
  CHECK(Murmur3("").high == 0);
  CHECK(Murmur3("hello").low == 0xcbd8a7b341bd9b02);
  CHECK(Murmur3("hello").high == 0x5b1e906a48ae1d19);
  // More than one block of 16 bytes, and a rest.
  CHECK(Murmur3("The quick brown fox jumps over the lazy dog").low == 0xe34bbc7bbc071b6c);
  CHECK(Murmur3("The quick brown fox jumps over the lazy dog").high == 0x7a433ca9c49a9347);
}

}  // namespace
}  // namespace trellis::format
