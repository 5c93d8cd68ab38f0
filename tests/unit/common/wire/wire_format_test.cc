#include "common/wire/wire_format.h"

#include <catch2/catch.hpp>

namespace trellis::wire {

TEST_CASE("varints have the size that is announced and come back") {
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t value :
         {uint64_t{1} << bit, (uint64_t{1} << bit) - 1, ~uint64_t{0} >> bit}) {
      CAPTURE(value);
      std::string bytes;
      AppendTag(5, WireType::kVarint, bytes);
      const size_t before = bytes.size();
      AppendVarint(value, bytes);
      CHECK(bytes.size() - before == VarintSize(value));
      FieldReader reader(AsBytes(bytes));
      uint64_t read = 0;
      REQUIRE(reader.NextTag());
      CHECK(reader.Is(5, WireType::kVarint));
      REQUIRE(reader.ReadVarint(read));
      CHECK(read == value);
      CHECK(reader.at_end());
    }
  }
}

TEST_CASE("a field reader refuses malformed fields with their offset") {
  using namespace std::string_view_literals;
  for (const std::string_view bytes :
       {"\x80"sv, "\x00"sv, "\x0f\x00"sv, "\x08\xff"sv, "\x0a\x05x"sv, "\x0d\x01\x02"sv,
        "\x09\x01"sv, "\x0b\x08\x01"sv, "\x0b\x14"sv, "\x0c"sv, "\x0a\xff\xff\xff\xff\x7f"sv,
        "\x80\x80\x80\x80\x80\x01"sv}) {
    FieldReader reader(AsBytes(bytes));
    CAPTURE(bytes.size());
    const bool read = reader.NextTag() && reader.Skip();
    CHECK_FALSE(read);
    CHECK(reader.error("M").message().find("at offset") != std::string::npos);
  }
}

TEST_CASE("groups are stepped over to protobuf's depth and no further") {
  for (const int depth : {1, kWireDepthMax, kWireDepthMax + 1}) {
    const std::string bytes = std::string(static_cast<size_t>(depth), '\x0b') +
                              std::string(static_cast<size_t>(depth), '\x0c');
    FieldReader reader(AsBytes(bytes));
    CAPTURE(depth);
    const bool read = reader.NextTag() && reader.Skip();
    CHECK(read == (depth <= kWireDepthMax));
  }
}

}  // namespace trellis::wire
