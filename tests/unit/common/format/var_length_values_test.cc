#include "common/format/var_length_values.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::format {
namespace {

using namespace std::string_literals;

// "ab", "", "c" from byte 32 on.
const std::string kThree =
    ".vl;\0\0\0\1\0\0\0\3\0\0\0\x10\0\0\0\x20\0\0\0\x22\0\0\0\x22\0\0\0\x23"
    "abc"s;

bool Corrupt(const std::string& bytes) {
  return VarLengthValues::Open(AsBytes(bytes)).status().IsCorrupt();
}
std::string With(size_t at, const std::string& piece) {
  return std::string(kThree).replace(at, piece.size(), piece);
}

TEST_CASE("values of any length are found by position, the empty one too") {
  const auto values = VarLengthValues::Open(AsBytes(kThree)).value();
  REQUIRE(values.size() == 3);
  CHECK(AsText(values[0]) == "ab");
  CHECK(values[1].empty());
  CHECK(AsText(values[2]) == "c");
}

TEST_CASE("a buffer without values is its header and one offset") {
  const std::string bytes = ".vl;\0\0\0\1\0\0\0\0\0\0\0\x10\0\0\0\x14"s;
  CHECK(VarLengthValues::Open(AsBytes(bytes)).value().size() == 0);
}

TEST_CASE("offsets may lie behind a gap, as the header says") {
  const std::string bytes =
      ".vl;\0\0\0\1\0\0\0\1\0\0\0\x12??\0\0\0\x1a\0\0\0\x1b"
      "a"s;
  CHECK(AsText(VarLengthValues::Open(AsBytes(bytes)).value()[0]) == "a");
}

TEST_CASE("offsets that leave the buffer, go back or miss its end are refused") {
  REQUIRE_FALSE(Corrupt(kThree));
  for (size_t size = 0; size < kThree.size(); ++size) {
    CAPTURE(size);
    CHECK(Corrupt(kThree.substr(0, size)));
  }
  CHECK(Corrupt(kThree + "d"));
  CHECK(Corrupt(With(4, "\0\0\0\2"s)));           // version
  CHECK(Corrupt(With(8, "\xff\xff\xff\xff"s)));   // count
  CHECK(Corrupt(With(8, "\x7f\xff\xff\xff"s)));   // count
  CHECK(Corrupt(With(8, "\0\0\0\2"s)));           // the end comes too early
  CHECK(Corrupt(With(12, "\0\0\0\x0f"s)));        // offsets within the header
  CHECK(Corrupt(With(12, "\xff\xff\xff\xf0"s)));  // offsets outside
  CHECK(Corrupt(With(16, "\0\0\0\x1f"s)));        // values within the offsets
  CHECK(Corrupt(With(20, "\0\0\0\x24"s)));        // beyond the next
  CHECK(Corrupt(With(28, "\x80\0\0\x23"s)));      // outside
}

TEST_CASE("slots that are only padded are not taken for it") {
  CHECK_FALSE(VarLengthValues::Recognizes(AsBytes(".vl;"s)));
  CHECK_FALSE(VarLengthValues::Recognizes(AsBytes("abcdefghijklmnopqrstuvwxyz"s)));
  CHECK_FALSE(VarLengthValues::Recognizes(AsBytes(".vl;\0\0\0\0................"s)));
}

TEST_CASE("an offset that changes after opening yields no byte outside the buffer") {
  for (const size_t at : {16, 20, 24, 28}) {
    for (const std::string& written : {"\xff\xff\xff\xff"s, "\x7f\xff\xff\xff"s, "\0\0\0\0"s}) {
      CAPTURE(at, written);
      std::string bytes = kThree;
      const auto values = VarLengthValues::Open(AsBytes(bytes)).value();
      bytes.replace(at, 4, written);
      for (uint32_t i = 0; i < values.size(); ++i) {
        ByteView value;
        const bool good = values.Get(i, value);
        if (!good) CHECK(values[i].empty());
        if (good) CHECK(value.data() + value.size() <= AsBytes(bytes).data() + bytes.size());
      }
    }
  }
  std::string bytes = kThree;
  const auto values = VarLengthValues::Open(AsBytes(bytes)).value();
  bytes.replace(20, 4, "\0\0\0\x24"s);  // value 1 starts past the end
  ByteView value;
  CHECK_FALSE(values.Get(0, value));
  CHECK_FALSE(values.Get(1, value));
  CHECK(values.Get(2, value));
}

}  // namespace
}  // namespace trellis::format
