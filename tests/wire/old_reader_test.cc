// Release 0.1's schema reads what is new without failing and without taking it for something else,
// and what it writes is read.
#include "common/wire/plan_codec.h"
#include "tests/wire/golden.h"
#include "tests/wire/second_release.h"
#include "tests/wire/v1old/leaf.pb.h"

namespace trellis::wire {
namespace {

template <class Message>
Message Read(const std::string& golden) {
  Message message;
  CAPTURE(golden);
  REQUIRE(message.ParseFromString(Golden(golden)));
  return message;
}

}  // namespace

TEST_CASE("0.1 reads a request with a list by ordinal or packed as one with no form it knows") {
  for (const char* golden :
       {"0.2/leaf_request_known", "0.2/leaf_request_all_but", "0.2/leaf_request_packed"}) {
    const auto request = Read<v1old::LeafRequest>(golden);
    CHECK(request.query_id() == "broker_1-42");
    CHECK(request.attempt() == 3);
    CHECK(request.timeout_ms() == 10'000);
    CHECK(request.stage() == Golden("0.1/leaf_stage"));
    // It refuses such a list, and never takes it for "all segments" or "none".
    CHECK(request.has_segments());
    CHECK(request.segments().form_case() == v1old::SegmentLists::FORM_NOT_SET);
  }
}

TEST_CASE("0.1 reads the pieces of a list as requests without one") {
  const auto first = Read<v1old::LeafRequest>("0.2/leaf_request_piece_1");
  CHECK(first.query_id() == "broker_1-42");
  CHECK_FALSE(first.has_segments());
  CHECK_FALSE(Read<v1old::LeafRequest>("0.2/leaf_request_piece_2").has_segments());
}

TEST_CASE("0.1 reads the answers and the watch of 0.2") {
  const auto response = Read<v1old::LeafResponse>("0.2/leaf_accepted");
  REQUIRE(response.accepted().missing_size() == 2);
  CHECK(response.accepted().missing(0) == "gone");
  REQUIRE(response.accepted().broken_size() == 1);
  CHECK(response.accepted().broken(0).reason() == "bad checksum");
  CHECK(Read<v1old::WatchRequest>("0.2/watch_request").protocol_version() == 1);
  const auto inventory = Read<v1old::Inventory>("0.2/inventory");
  CHECK(inventory.protocol_version() == 1);
  CHECK(inventory.epoch() == 7);
  CHECK(inventory.segment_list_encodings_size() == 4);
  CHECK(inventory.tables_size() == 0);
}

TEST_CASE("a message with old and new fields gives 0.1 the old ones") {
  Inventory inventory = FirstInventory();
  const std::vector<std::string> names = SecondNames();
  inventory.updates = SecondInventory(names).updates;
  v1old::Inventory old;
  REQUIRE(old.ParseFromString(*EncodeInventory(inventory)));
  REQUIRE(old.tables_size() == 2);
  CHECK(old.tables(0).segments(0).rows() == 97'889);
  CHECK(old.tables(1).refused() == "upsert");
}

TEST_CASE("what 0.1's own serialiser writes is read") {
  v1old::LeafRequest request;
  REQUIRE(request.ParseFromString(Golden("0.1/leaf_request_names")));
  auto decoded = DecodeLeafRequest(SharedBytes::Own(request.SerializeAsString()));
  REQUIRE(decoded.ok());
  const auto list = DecodeSegmentLists(decoded->segments->view);
  REQUIRE(list.ok());
  CHECK(list->names_total() == FirstNames().size() + 1);
  CHECK(*DecodeLeafStage(decoded->stage.view) == FirstStage());

  v1old::Inventory inventory;
  REQUIRE(inventory.ParseFromString(Golden("0.1/inventory")));
  const std::string bytes = inventory.SerializeAsString();
  CHECK(bytes == Golden("0.1/inventory"));
  CHECK(DecodeInventory(AsBytes(bytes))->tables == FirstInventory().tables);
}

}  // namespace trellis::wire
