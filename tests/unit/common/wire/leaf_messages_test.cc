#include "common/wire/leaf_messages.h"

#include <catch2/catch.hpp>

#include "common/wire/message_limits.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/leaf.pb.h"

namespace trellis::wire {
namespace {

LeafRequest MakeRequest() {
  LeafRequest request;
  request.query_id = "q-1";
  request.attempt = 3;
  request.timeout_ms = 1500;
  request.stage = SharedBytes::Own("stage bytes");
  std::string list;
  REQUIRE(SegmentListCodecOf(SegmentListEncoding::kNames)
              .Encode(std::vector<SegmentListGroup>{{"OFFLINE", {"s1"}}}, list)
              .ok());
  request.segments = SharedBytes::Own(std::move(list));
  return request;
}

template <class T>
T DecodeAs(std::string bytes) {
  auto message = DecodeLeafMessage(SharedBytes::Own(std::move(bytes)));
  INFO(message.status().message());
  REQUIRE(message.ok());
  REQUIRE(std::holds_alternative<T>(*message));
  return std::get<T>(std::move(*message));
}

}  // namespace

TEST_CASE("a leaf request is the protobuf message and shares stage and list") {
  const LeafRequest request = MakeRequest();
  const auto slices = EncodeLeafRequest(request);
  REQUIRE(slices.ok());
  bool stage_shared = false, list_shared = false;
  for (const SharedBytes& slice : *slices) {
    stage_shared |= slice.view.data() == request.stage.view.data();
    list_shared |= slice.view.data() == request.segments->view.data();
  }
  CHECK(stage_shared);
  CHECK(list_shared);

  v1::LeafRequest message;
  REQUIRE(message.ParseFromString(Join(*slices)));
  CHECK(message.protocol_version() == kProtocolVersion);
  CHECK(message.query_id() == "q-1");
  CHECK(message.attempt() == 3);
  CHECK(message.timeout_ms() == 1500);
  CHECK(message.stage() == "stage bytes");
  CHECK(message.segments().names().segments().at("OFFLINE").segments(0) == "s1");
  CHECK(message.SerializeAsString() == Join(*slices));

  const auto decoded = DecodeLeafRequest(SharedBytes::Own(Join(*slices)));
  REQUIRE(decoded.ok());
  CHECK(decoded->query_id == "q-1");
  CHECK(decoded->attempt == 3);
  CHECK(decoded->timeout_ms == 1500);
  CHECK(AsText(decoded->stage.view) == "stage bytes");
  CHECK(AsText(decoded->segments->view) == AsText(request.segments->view));
}

TEST_CASE("a request without a list is told from one with an empty list") {
  LeafRequest request = MakeRequest();
  request.segments = std::nullopt;
  CHECK_FALSE(
      DecodeLeafRequest(SharedBytes::Own(Join(*EncodeLeafRequest(request))))->segments.has_value());
  std::string empty_list;
  REQUIRE(SegmentListCodecOf(SegmentListEncoding::kNames).Encode({}, empty_list).ok());
  request.segments = SharedBytes::Own(std::move(empty_list));
  CHECK(
      DecodeLeafRequest(SharedBytes::Own(Join(*EncodeLeafRequest(request))))->segments.has_value());
}

TEST_CASE("a leaf request of another protocol version is refused by name") {
  LeafRequest request = MakeRequest();
  request.protocol_version = 9;
  const Status status =
      DecodeLeafRequest(SharedBytes::Own(Join(*EncodeLeafRequest(request)))).status();
  CHECK(status.code() == StatusCode::kFailedPrecondition);
  CHECK(status.message().find("version 9") != std::string::npos);
}

TEST_CASE("a leaf request that is cut, nameless or too large is refused") {
  const std::string bytes = Join(*EncodeLeafRequest(MakeRequest()));
  int refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    refused += !DecodeLeafRequest(SharedBytes::Own(bytes.substr(0, size))).ok();
  }
  CHECK(refused >= static_cast<int>(bytes.size()) - 4);  // cut between two fields it may be whole
  LeafRequest request = MakeRequest();
  request.query_id.clear();
  CHECK(EncodeLeafRequest(request).status().code() == StatusCode::kInvalidArgument);
  request = MakeRequest();
  request.timeout_ms = -1;
  CHECK(EncodeLeafRequest(request).status().code() == StatusCode::kInvalidArgument);
  request = MakeRequest();
  request.stage = SharedBytes::Own(std::string(kMessageLimits.stage_bytes_max + 1, 's'));
  CHECK(EncodeLeafRequest(request).status().code() == StatusCode::kResourceExhausted);
}

TEST_CASE("the three kinds of answers come back equal") {
  const LeafAccepted accepted{{"gone", "\xff"}, {{"torn", "bad checksum"}}};
  CHECK(DecodeAs<LeafAccepted>(EncodeLeafAccepted(accepted)) == accepted);
  CHECK(DecodeAs<LeafAccepted>(EncodeLeafAccepted({})) == LeafAccepted{});

  LeafDone done;
  done.status = Status::Query(PinotCode::kUnknownColumn, "no column");
  done.statistics.segments_queried = 5;
  done.statistics.list_encoding = "names";
  const auto decoded = DecodeAs<LeafDone>(EncodeLeafDone(done));
  CHECK(decoded.status.code() == StatusCode::kInvalidArgument);
  CHECK(decoded.status.pinot_code() == PinotCode::kUnknownColumn);
  CHECK(decoded.status.message() == "no column");
  CHECK(decoded.statistics == done.statistics);
  CHECK(DecodeAs<LeafDone>(EncodeLeafDone({})).status.ok());

  auto block = std::make_shared<Block>();
  block->rows = 2;
  ColumnVector column(DataType::kString);
  column.Append(Value::String("x"));
  column.Append(Value::String(std::string(1000, 'y')));
  block->columns.push_back(std::move(column));
  const auto slices = EncodeLeafBlock(block);
  REQUIRE(slices.ok());
  v1::LeafResponse message;
  REQUIRE(message.ParseFromString(Join(*slices)));
  CHECK(message.block().body_bytes() == message.body().size());
  const auto back = DecodeAs<Block>(Join(*slices));
  CHECK(back.columns.at(0).Get(1) == block->columns[0].Get(1));
}

TEST_CASE("an answer that is none or two of the three kinds is refused") {
  CHECK(DecodeLeafMessage(SharedBytes::Own("")).status().code() == StatusCode::kInvalidArgument);
  const std::string two = EncodeLeafAccepted({}) + EncodeLeafDone({});
  CHECK(DecodeLeafMessage(SharedBytes::Own(two)).status().code() == StatusCode::kInvalidArgument);
  CHECK(DecodeLeafMessage(SharedBytes::Own("\x12\x7f")).status().code() ==
        StatusCode::kInvalidArgument);
}

TEST_CASE("a message that quotes bytes arrives as UTF-8, cut at a character") {
  LeafDone done;
  done.status = Status::Corrupt("{}{}", "\xff", std::string(64 * 1024 - 4, 'x') + "\xc3\xa9");
  const auto decoded = DecodeAs<LeafDone>(EncodeLeafDone(done));
  CHECK(decoded.status.message() == "\xef\xbf\xbd" + std::string(64 * 1024 - 4, 'x'));
  CHECK(DecodeAs<LeafAccepted>(EncodeLeafAccepted({{}, {{"s", "\x80"}}})).broken.at(0).reason ==
        "\xef\xbf\xbd");
}

TEST_CASE("an unknown status code becomes unknown, never OK") {
  v1::LeafResponse response;
  response.mutable_done()->set_status_code(99);
  CHECK(DecodeAs<LeafDone>(response.SerializeAsString()).status.code() == StatusCode::kUnknown);
}

TEST_CASE("statistics add up") {
  LeafStatistics a, b;
  a.segments_queried = 1;
  a.documents_scanned = 10;
  a.list_encoding = "names";
  b.segments_queried = 2;
  b.groups_limit_reached = true;
  b.segments_pruned_by_limit = 4;
  a += b;
  CHECK(a.segments_queried == 3);
  CHECK(a.documents_scanned == 10);
  CHECK(a.groups_limit_reached);
  CHECK(a.segments_pruned_by_limit == 4);
  CHECK(a.list_encoding == "names");
  b.list_encoding = "legacy_json";
  a += b;
  CHECK(a.list_encoding == "mixed");
}

TEST_CASE("an inventory comes back equal") {
  Inventory inventory;
  inventory.incarnation = ~uint64_t{0};
  inventory.epoch = 4;
  inventory.build_version = "0.1.0";
  inventory.segment_list_encodings = {"names", "legacy_json"};
  inventory.features = {"f"};
  inventory.tables = {{"t_OFFLINE",
                       "{}",
                       "",
                       {{"s1", 7, 100, 0, std::nullopt, ""}, {"\xff", 0, 0, {}, 5, "broken"}},
                       "upsert"}};
  const auto bytes = EncodeInventory(inventory);
  REQUIRE(bytes.ok());
  const auto decoded = DecodeInventory(AsBytes(*bytes));
  REQUIRE(decoded.ok());
  CHECK(*decoded == inventory);
  CHECK(!DecodeInventory(AsBytes(std::string_view("\x0a\xff"))).ok());
  inventory.tables[0].segments[0].rows = -1;
  const std::string negative = *EncodeInventory(inventory);
  CHECK(DecodeInventory(AsBytes(negative)).status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("small requests come back equal") {
  const std::string cancel = EncodeCancelRequest("q");
  CHECK(*DecodeCancelRequest(AsBytes(cancel)) == "q");
  const std::string found = EncodeCancelResponse(true);
  CHECK(*DecodeCancelResponse(AsBytes(found)));
  const std::string watch = EncodeWatchRequest();
  CHECK(DecodeWatchRequest(AsBytes(watch)).ok());
  CHECK(DecodeWatchRequest({}).code() == StatusCode::kFailedPrecondition);
}

}  // namespace trellis::wire
