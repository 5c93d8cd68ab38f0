#include "common/wire/field_counter.h"

#include <google/protobuf/stubs/logging.h>

#include <catch2/catch.hpp>
#include <random>

#include "common/wire/block_codec.h"
#include "common/wire/inventory_messages.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/message_limits.h"
#include "common/wire/plan_codec.h"
#include "common/wire/wire_format.h"
#include "trellis/v1/leaf.pb.h"

namespace trellis::wire {
namespace {

std::string Repeat(std::string_view piece, size_t size_bytes) {
  std::string bytes;
  bytes.reserve(size_bytes + piece.size());
  while (bytes.size() < size_bytes) bytes += piece;
  return bytes;
}

std::string Nested(uint32_t number, const std::string& inner) {
  std::string bytes;
  AppendBytesHead(number, inner.size(), bytes);
  return bytes + inner;
}

void CheckRefused(const Status& status) {
  CAPTURE(status.message());
  CHECK((status.code() == StatusCode::kResourceExhausted || status.IsCorrupt()));
  CHECK(status.message().find("strings and messages") != std::string::npos);
}

}  // namespace

TEST_CASE("strings and messages are counted at every depth, numbers are not") {
  v1::Inventory message;
  message.set_epoch(7);
  message.add_features("one");
  v1::TableInventory& table = *message.add_tables();  // two
  table.set_table("three");
  table.add_segments()->set_rows(4);                 // four
  v1::TableUpdate& update = *message.add_updates();  // five
  update.mutable_added()->set_names("seven");        // six
  update.mutable_added()->add_zones()->set_column("nine");
  const std::string bytes = message.SerializeAsString();
  const FieldCounter counter(*v1::Inventory::descriptor());
  CHECK(counter.Check(AsBytes(bytes), 9, 10, "Inventory").ok());
  const Status status = counter.Check(AsBytes(bytes), 8, 10, "Inventory");
  CHECK(status.code() == StatusCode::kResourceExhausted);
  CHECK(status.message().find("more than 8") != std::string::npos);
  // What lies deeper than the parser goes is not looked at.
  CHECK(counter.Check(AsBytes(bytes), 3, 0, "Inventory").ok());
}

TEST_CASE("64 MB of empty parts are refused before memory is taken for them") {
  const size_t size_bytes = kMessageLimits.message_bytes_max - 64;
  for (const std::string& bytes :
       {Repeat(std::string("\x32\x00", 2), size_bytes),
        Repeat(std::string("\x3a\x00", 2), size_bytes),
        Nested(6, Repeat(std::string("\x22\x00", 2), size_bytes)),
        Nested(8, Nested(8, Repeat(std::string("\x3a\x00", 2), size_bytes)))}) {
    CheckRefused(DecodeInventory(AsBytes(bytes)).status());
  }
  const std::string features = Repeat(std::string("\x12\x00", 2), size_bytes);
  CheckRefused(DecodeWatchRequest(AsBytes(features)).status());
  for (const uint32_t field : {1u, 2u}) {
    std::string tag;
    AppendBytesHead(field, 0, tag);
    CheckRefused(DecodeLeafMessage(SharedBytes::Own(Nested(1, Repeat(tag, size_bytes)))).status());
  }
  const std::string columns = Repeat(std::string("\x12\x00", 2), 1 << 20);
  CheckRefused(DecodeBlock(AsBytes(columns), {}).status());
  const std::string values = Repeat(std::string("\x1a\x00", 2), kMessageLimits.stage_bytes_max / 2);
  const std::string stage = Nested(3, Nested(2, values));
  CheckRefused(DecodeLeafStage(AsBytes(stage)).status());
}

}  // namespace trellis::wire
