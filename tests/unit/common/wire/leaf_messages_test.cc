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

// The one message of a request whose list is not cut.
std::string EncodeWhole(const LeafRequest& request) {
  const auto messages = EncodeLeafRequest(request, kMessageLimits.list_chunk_bytes);
  INFO(messages.status().message());
  REQUIRE(messages.ok());
  REQUIRE(messages->size() == 1);
  return Join(messages->front());
}

Status EncodeStatus(const LeafRequest& request) {
  return EncodeLeafRequest(request, kMessageLimits.list_chunk_bytes).status();
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
  const auto messages = EncodeLeafRequest(request, kMessageLimits.list_chunk_bytes);
  REQUIRE(messages.ok());
  REQUIRE(messages->size() == 1);
  const Slices& slices = messages->front();
  bool stage_shared = false, list_shared = false;
  for (const SharedBytes& slice : slices) {
    stage_shared |= slice.view.data() == request.stage.view.data();
    list_shared |= slice.view.data() == request.segments->view.data();
  }
  CHECK(stage_shared);
  CHECK(list_shared);

  v1::LeafRequest message;
  REQUIRE(message.ParseFromString(Join(slices)));
  CHECK(message.protocol_version() == kProtocolVersion);
  CHECK(message.query_id() == "q-1");
  CHECK(message.attempt() == 3);
  CHECK(message.timeout_ms() == 1500);
  CHECK(message.stage() == "stage bytes");
  CHECK(message.segments().names().segments().at("OFFLINE").segments(0) == "s1");
  CHECK(message.SerializeAsString() == Join(slices));

  const auto decoded = DecodeLeafRequest(SharedBytes::Own(Join(slices)));
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
  CHECK_FALSE(DecodeLeafRequest(SharedBytes::Own(EncodeWhole(request)))->segments.has_value());
  std::string empty_list;
  REQUIRE(SegmentListCodecOf(SegmentListEncoding::kNames).Encode({}, empty_list).ok());
  request.segments = SharedBytes::Own(std::move(empty_list));
  CHECK(DecodeLeafRequest(SharedBytes::Own(EncodeWhole(request)))->segments.has_value());
}

TEST_CASE("a leaf request of another protocol version is refused by name") {
  LeafRequest request = MakeRequest();
  request.protocol_version = 9;
  const Status status = DecodeLeafRequest(SharedBytes::Own(EncodeWhole(request))).status();
  CHECK(status.code() == StatusCode::kFailedPrecondition);
  CHECK(status.message().find("version 9") != std::string::npos);
}

TEST_CASE("a leaf request that is cut, nameless or too large is refused") {
  const std::string bytes = EncodeWhole(MakeRequest());
  int refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    refused += !DecodeLeafRequest(SharedBytes::Own(bytes.substr(0, size))).ok();
  }
  CHECK(refused >= static_cast<int>(bytes.size()) - 4);  // cut between two fields it may be whole
  LeafRequest request = MakeRequest();
  request.query_id.clear();
  CHECK(EncodeStatus(request).code() == StatusCode::kInvalidArgument);
  request = MakeRequest();
  request.timeout_ms = -1;
  CHECK(EncodeStatus(request).code() == StatusCode::kInvalidArgument);
  request = MakeRequest();
  request.stage = SharedBytes::Own(std::string(kMessageLimits.stage_bytes_max + 1, 's'));
  CHECK(EncodeStatus(request).code() == StatusCode::kResourceExhausted);
}

TEST_CASE("a list over the chunk size is cut into messages that share its bytes") {
  LeafRequest request = MakeRequest();
  std::string list;
  for (int i = 0; i < 1000; ++i) list += static_cast<char>(i * 7);
  request.segments = SharedBytes::Own(list);
  for (const size_t chunk_bytes : {1, 3, 250, 333, 999}) {
    CAPTURE(chunk_bytes);
    const auto messages = EncodeLeafRequest(request, chunk_bytes);
    REQUIRE(messages.ok());
    REQUIRE(messages->size() == (list.size() + chunk_bytes - 1) / chunk_bytes);
    std::string joined;
    for (size_t i = 0; i < messages->size(); ++i) {
      v1::LeafRequest message;
      REQUIRE(message.ParseFromString(Join((*messages)[i])));
      CHECK(message.SerializeAsString() == Join((*messages)[i]));
      CHECK_FALSE(message.has_segments());
      CHECK(message.stage() == (i == 0 ? "stage bytes" : ""));
      CHECK(message.list_bytes() == (i == 0 ? list.size() : 0));
      const SharedBytes& last = (*messages)[i].back();
      CHECK(last.view.data() == request.segments->view.data() + joined.size());
      joined += message.list_chunk();
      const SharedBytes bytes = SharedBytes::Own(Join((*messages)[i]));
      if (i == 0) {
        const auto first = DecodeLeafRequest(bytes);
        REQUIRE(first.ok());
        CHECK_FALSE(first->segments.has_value());
        CHECK(first->list_bytes == list.size());
        CHECK(AsText(first->list_chunk.view) == message.list_chunk());
      } else {
        CHECK(AsText(DecodeListChunk(bytes)->view) == message.list_chunk());
      }
    }
    CHECK(joined == list);
  }
  CHECK(EncodeLeafRequest(request, list.size())->size() == 1);
  CHECK(EncodeLeafRequest(request, SIZE_MAX)->size() == 1);
}

TEST_CASE("a first request whose list and pieces disagree is refused") {
  const auto refused = [](auto change) {
    v1::LeafRequest message;
    message.set_protocol_version(kProtocolVersion);
    message.set_query_id("q");
    message.set_list_bytes(10);
    message.set_list_chunk("12345");
    change(message);
    return DecodeLeafRequest(SharedBytes::Own(message.SerializeAsString())).status();
  };
  CHECK(refused([](auto&) {}).ok());
  CHECK(refused([](auto& m) { m.set_list_bytes(5); }).ok());
  for (const Status& status : {
           refused([](auto& m) { m.set_list_bytes(4); }),
           refused([](auto& m) { m.clear_list_bytes(); }),
           refused([](auto& m) { m.clear_list_chunk(); }),
           refused([](auto& m) { m.mutable_segments()->mutable_names(); }),
       }) {
    CHECK(status.code() == StatusCode::kInvalidArgument);
  }
  const Status large =
      refused([](auto& m) { m.set_list_bytes(kMessageLimits.segment_list_bytes_max + 1); });
  CHECK(large.code() == StatusCode::kResourceExhausted);
  for (const size_t number :
       {kMessageLimits.segment_list_bytes_max, kMessageLimits.segment_list_bytes_max + 1})
    CHECK(large.message().find(std::to_string(number)) != std::string::npos);
  CHECK(refused([](auto& m) { m.set_list_bytes(~uint64_t{0}); }).code() ==
        StatusCode::kResourceExhausted);
}

TEST_CASE("a later request without a piece of the list is refused") {
  for (const std::string& bytes : {std::string(), EncodeWhole(MakeRequest()),
                                   std::string("\x42\x00", 2), std::string("\x42\x05x")}) {
    CHECK(DecodeListChunk(SharedBytes::Own(bytes)).status().code() == StatusCode::kInvalidArgument);
  }
}

TEST_CASE("a request over a limit names size and limit before it is sent") {
  LeafRequest request = MakeRequest();
  const auto names = [](const Status& status, size_t size_bytes, size_t limit) {
    CAPTURE(status.message());
    CHECK(status.code() == StatusCode::kResourceExhausted);
    CHECK(status.message().find(std::to_string(size_bytes)) != std::string::npos);
    CHECK(status.message().find(std::to_string(limit)) != std::string::npos);
  };
  // A view of memory that is not there: sizes are checked before bytes are looked at.
  const SharedBytes stage = request.stage;
  const auto sized = [&](size_t size_bytes) {
    return SharedBytes{{stage.view.data(), size_bytes}, nullptr};
  };
  request.stage = sized(kMessageLimits.stage_bytes_max + 1);
  names(EncodeStatus(request), kMessageLimits.stage_bytes_max + 1, kMessageLimits.stage_bytes_max);
  request.stage = sized(kMessageLimits.stage_bytes_max);
  CHECK(EncodeStatus(request).ok());
  request.segments = sized(kMessageLimits.segment_list_bytes_max + 1);
  names(EncodeStatus(request), kMessageLimits.segment_list_bytes_max + 1,
        kMessageLimits.segment_list_bytes_max);
  // A long list for a server that does not read pieces.
  request.stage = stage;
  request.segments = sized(kMessageLimits.message_bytes_max);
  const Status whole = EncodeLeafRequest(request, SIZE_MAX).status();
  CHECK(whole.code() == StatusCode::kResourceExhausted);
  CHECK(whole.message().find(std::to_string(kMessageLimits.message_bytes_max)) !=
        std::string::npos);
  CHECK(EncodeStatus(request).ok());
}

TEST_CASE("an answer whose missing ordinals are not a bitmap is refused") {
  v1::LeafResponse response;
  for (const std::string bytes : {"x", "\x3a\x30\x00\x00\xff\xff\xff\xff"}) {
    response.mutable_accepted()->set_missing_ordinals(bytes);
    const Status status =
        DecodeLeafMessage(SharedBytes::Own(response.SerializeAsString())).status();
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(status.message().find("missing_ordinals") != std::string::npos);
  }
}

TEST_CASE("the three kinds of answers come back equal") {
  LeafAccepted accepted;
  accepted.missing = {"gone", "\xff"};
  accepted.broken = {{"torn", "bad checksum"}};
  accepted.missing_ordinals.addRange(5, 500);
  accepted.stale = true;
  accepted.incarnation = ~uint64_t{0};
  accepted.epoch = 7;
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
  LeafAccepted accepted;
  accepted.broken = {{"s", "\x80"}};
  CHECK(DecodeAs<LeafAccepted>(EncodeLeafAccepted(accepted)).broken.at(0).reason == "\xef\xbf\xbd");
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

TEST_CASE("small requests come back equal") {
  const std::string cancel = EncodeCancelRequest("q");
  CHECK(*DecodeCancelRequest(AsBytes(cancel)) == "q");
  const std::string found = EncodeCancelResponse(true);
  CHECK(*DecodeCancelResponse(AsBytes(found)));
}

}  // namespace trellis::wire
