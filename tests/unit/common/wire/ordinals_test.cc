#include "common/wire/ordinals.h"

#include <catch2/catch.hpp>
#include <random>

#include "common/wire/message_limits.h"

namespace trellis::wire {

TEST_CASE("ordinals come back equal, and no ordinals are no bytes") {
  CHECK(WriteOrdinals(Roaring()).empty());
  CHECK(ReadOrdinals({})->isEmpty());
  std::mt19937 random(5);
  for (const uint32_t below : {10u, 5'000u, 60'000u, 1'000'000u, kMessageLimits.ordinals_max}) {
    Roaring some;
    for (int i = 0; i < 30'000; ++i) some.add(random() % below);
    Roaring all;
    all.addRange(0, below);
    for (const Roaring& ordinals : {some, all, all - some}) {
      const std::string bytes = WriteOrdinals(ordinals);
      const auto read = ReadOrdinals(AsBytes(bytes));
      REQUIRE(read.ok());
      CHECK(*read == ordinals);
      CHECK(bytes.size() <= ordinals.getSizeInBytes());
    }
  }
}

TEST_CASE("ordinals in a row are a few bytes") {
  Roaring ordinals;
  for (uint32_t i = 0; i < 60'000; ++i) ordinals.add(i);
  CHECK(WriteOrdinals(ordinals).size() < 20);
  for (uint32_t i = 0; i < 30; ++i) ordinals.remove(i * 1'777);
  CHECK(WriteOrdinals(ordinals).size() < 150);
}

TEST_CASE("an ordinal at the limit and bytes that are no bitmap are refused") {
  const std::string at_limit = WriteOrdinals(Roaring::bitmapOf(1, kMessageLimits.ordinals_max));
  const std::string below = WriteOrdinals(Roaring::bitmapOf(1, kMessageLimits.ordinals_max - 1));
  CHECK(ReadOrdinals(AsBytes(below)).ok());
  for (const std::string& bytes : {at_limit, below + "x", below.substr(1), std::string("x")}) {
    const Status status = ReadOrdinals(AsBytes(bytes)).status();
    CHECK(status.code() == StatusCode::kInvalidArgument);
  }
}

}  // namespace trellis::wire
