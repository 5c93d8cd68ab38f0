#include "common/rpc/byte_buffer.h"

#include <catch2/catch.hpp>
#include <vector>

namespace trellis::rpc {

TEST_CASE("slices become a message of their own memory") {
  const wire::SharedBytes large = wire::SharedBytes::Own(std::string(100'000, 'l'));
  const auto buffer = ToByteBuffer(wire::Slices{wire::SharedBytes::Own("head"), large});
  CHECK(buffer.Length() == 100'004);
  std::vector<grpc::Slice> slices;
  REQUIRE(buffer.Dump(&slices).ok());
  bool shared = false;
  for (const grpc::Slice& slice : slices) shared |= slice.begin() == large.view.data();
  CHECK(shared);
  const auto joined = FromByteBuffer(buffer);
  REQUIRE(joined.ok());
  CHECK(AsText(joined->view) == "head" + std::string(100'000, 'l'));
}

TEST_CASE("the owner of a slice lives as long as the message") {
  std::weak_ptr<const void> watch;
  {
    grpc::ByteBuffer buffer;
    {
      wire::SharedBytes bytes = wire::SharedBytes::Own(std::string(10'000, 'x'));
      watch = bytes.owner;
      buffer = ToByteBuffer(wire::Slices{std::move(bytes)});
    }
    CHECK_FALSE(watch.expired());
    // A message in one piece is shared, not copied, and outlives its buffer.
    auto read = FromByteBuffer(buffer);
    buffer.Clear();
    REQUIRE(read.ok());
    CHECK_FALSE(watch.expired());
    CHECK(AsText(read->view) == std::string(10'000, 'x'));
  }
  CHECK(watch.expired());
}

TEST_CASE("an empty message is empty bytes and no message is an error") {
  CHECK(FromByteBuffer(ToByteBuffer(std::string()))->size_bytes() == 0);
  CHECK(FromByteBuffer(grpc::ByteBuffer()).status().code() == StatusCode::kInternal);
}

}  // namespace trellis::rpc
