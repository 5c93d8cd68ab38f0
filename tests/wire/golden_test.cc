// Today's encoders write what each release wrote, byte for byte, and today's decoders read it.
#include "tests/wire/golden.h"

#include "common/wire/list_assembler.h"
#include "common/wire/message_limits.h"
#include "common/wire/plan_codec.h"
#include "tests/unit/common/wire/batch_checks.h"
#include "tests/wire/second_release.h"

namespace trellis::wire {
namespace {

// Of all the golden lists, the longest but one is of one message.
constexpr size_t kChunkBytes = 2'000;

std::vector<std::string> EncodeRequest(std::optional<std::string> list, size_t chunk_bytes) {
  LeafRequest request = FirstRequest(EncodeLeafStage(FirstStage()));
  if (list) request.segments = SharedBytes::Own(std::move(*list));
  const auto messages = EncodeLeafRequest(request, chunk_bytes);
  REQUIRE(messages.ok());
  std::vector<std::string> joined;
  for (const Slices& message : *messages) joined.push_back(Join(message));
  return joined;
}

// The request's list after everything else of it has been checked.
std::optional<SharedBytes> DecodeRequest(const std::vector<std::string>& messages) {
  const auto request = DecodeLeafRequest(SharedBytes::Own(messages.at(0)));
  INFO(request.status().message());
  REQUIRE(request.ok());
  const LeafRequest expected = FirstRequest("");
  CHECK(request->query_id == expected.query_id);
  CHECK(request->attempt == expected.attempt);
  CHECK(request->timeout_ms == expected.timeout_ms);
  const auto stage = DecodeLeafStage(request->stage.view);
  REQUIRE(stage.ok());
  CHECK(*stage == FirstStage());
  ListAssembler list(*request);
  for (size_t i = 1; i < messages.size(); ++i)
    REQUIRE(list.Add(*DecodeListChunk(SharedBytes::Own(messages[i]))).ok());
  REQUIRE(list.complete());
  return list.Take();
}

std::vector<SegmentListGroup> FirstGroups(const std::vector<std::string>& names) {
  return {{"OFFLINE", {names.begin(), names.end()}},
          {"REALTIME", {"events__5__17__20260105T0613Z"}}};
}

template <class T>
T DecodeGolden(const std::string& name) {
  auto message = DecodeLeafMessage(SharedBytes::Own(Golden(name)));
  CAPTURE(name, message.status().message());
  REQUIRE(message.ok());
  REQUIRE(std::holds_alternative<T>(*message));
  return std::get<T>(std::move(*message));
}

}  // namespace

TEST_CASE("0.1: requests with lists of names and of JSON") {
  const std::vector<std::string> names = FirstNames();
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    const std::string name = "0.1/leaf_request_" + std::string(SegmentListEncodingName(encoding));
    std::string list;
    REQUIRE(SegmentListCodecOf(encoding).Encode(FirstGroups(names), list).ok());
    CheckGolden(name, EncodeRequest(list, kChunkBytes).at(0));
    const auto read = DecodeRequest({Golden(name)});
    const auto decoded = DecodeSegmentLists(read->view);
    REQUIRE(decoded.ok());
    CHECK(decoded->encoding == encoding);
    CHECK(decoded->groups == FirstGroups(names));
    CHECK(decoded->known.empty());
  }
}

TEST_CASE("0.1: requests without a list and with an empty one") {
  CheckGolden("0.1/leaf_request_no_list", EncodeRequest(std::nullopt, kChunkBytes).at(0));
  CHECK_FALSE(DecodeRequest({Golden("0.1/leaf_request_no_list")}).has_value());
  std::string list;
  REQUIRE(SegmentListCodecOf(SegmentListEncoding::kNames)
              .Encode(std::vector<SegmentListGroup>{{"OFFLINE", {}}}, list)
              .ok());
  CheckGolden("0.1/leaf_request_empty_list", EncodeRequest(list, kChunkBytes).at(0));
  const auto read = DecodeRequest({Golden("0.1/leaf_request_empty_list")});
  CHECK(DecodeSegmentLists(read->view)->groups == std::vector<SegmentListGroup>{{"OFFLINE", {}}});
}

TEST_CASE("0.1: stage, answers and small messages") {
  CheckGolden("0.1/leaf_stage", EncodeLeafStage(FirstStage()));
  CheckGolden("0.1/leaf_accepted", EncodeLeafAccepted(FirstAccepted()));
  CheckGolden("0.1/leaf_accepted_all", EncodeLeafAccepted({}));
  CheckGolden("0.1/leaf_done", EncodeLeafDone(FirstDone()));
  CheckGolden("0.1/leaf_done_ok", EncodeLeafDone({}));
  CheckGolden("0.1/leaf_block", Join(*EncodeLeafBlock(FirstBlock())));
  CheckGolden("0.1/watch_request", EncodeWatchRequest({}));
  CheckGolden("0.1/cancel_request", EncodeCancelRequest("broker_1-42"));
  CheckGolden("0.1/cancel_response", EncodeCancelResponse(true));

  CHECK(*DecodeLeafStage(AsBytes(Golden("0.1/leaf_stage"))) == FirstStage());
  CHECK(DecodeGolden<LeafAccepted>("0.1/leaf_accepted") == FirstAccepted());
  CHECK(DecodeGolden<LeafAccepted>("0.1/leaf_accepted_all") == LeafAccepted{});
  const auto done = DecodeGolden<LeafDone>("0.1/leaf_done");
  CHECK(done.statistics == FirstDone().statistics);
  CHECK(done.status.code() == FirstDone().status.code());
  CHECK(done.status.pinot_code() == FirstDone().status.pinot_code());
  CHECK(done.status.message() == FirstDone().status.message());
  CHECK(DecodeGolden<LeafDone>("0.1/leaf_done_ok").status.ok());
  const auto block = DecodeGolden<Block>("0.1/leaf_block");
  const auto expected = FirstBlock();
  REQUIRE(block.rows == expected->rows);
  REQUIRE(block.columns.size() == expected->columns.size());
  for (size_t i = 0; i < block.columns.size(); ++i) {
    for (size_t row = 0; row < block.rows; ++row)
      CHECK(block.columns[i].Get(row) == expected->columns[i].Get(row));
  }
  CHECK(DecodeWatchRequest(AsBytes(Golden("0.1/watch_request")))->features.empty());
  CHECK(*DecodeCancelRequest(AsBytes(Golden("0.1/cancel_request"))) == "broker_1-42");
  CHECK(*DecodeCancelResponse(AsBytes(Golden("0.1/cancel_response"))));
}

TEST_CASE("0.1: the whole inventory in one message") {
  CheckGolden("0.1/inventory", *EncodeInventory(FirstInventory()));
  const std::string bytes = Golden("0.1/inventory");
  const auto decoded = DecodeInventory(AsBytes(bytes));
  REQUIRE(decoded.ok());
  const Inventory expected = FirstInventory();
  CHECK(decoded->incarnation == expected.incarnation);
  CHECK(decoded->epoch == expected.epoch);
  CHECK(decoded->build_version == expected.build_version);
  CHECK(decoded->segment_list_encodings == expected.segment_list_encodings);
  CHECK(decoded->features == expected.features);
  CHECK(decoded->tables == expected.tables);
  CHECK(decoded->updates.empty());
  CHECK_FALSE(decoded->complete);
}

TEST_CASE("0.2: requests with lists by ordinal") {
  for (const bool all_but : {false, true}) {
    const std::string name = all_but ? "0.2/leaf_request_all_but" : "0.2/leaf_request_known";
    std::string list;
    REQUIRE(EncodeKnownSegments(SecondKnown(all_but), list).ok());
    CheckGolden(name, EncodeRequest(list, kChunkBytes).at(0));
    const auto decoded = DecodeSegmentLists(DecodeRequest({Golden(name)})->view);
    REQUIRE(decoded.ok());
    CHECK(decoded->known == std::vector<KnownSegments>{SecondKnown(all_but)});
  }
}

TEST_CASE("0.2: requests with packed names, whole and in pieces") {
  const std::string list = SecondPackedList();
  CheckGolden("0.2/leaf_request_packed", EncodeRequest(list, kChunkBytes).at(0));
  const auto pieces = EncodeRequest(list, list.size() / 2 + 1);
  REQUIRE(pieces.size() == 2);
  CheckGolden("0.2/leaf_request_piece_1", pieces[0]);
  CheckGolden("0.2/leaf_request_piece_2", pieces[1]);
  const std::vector<std::string> names = SecondNames();
  for (const auto& messages : {std::vector<std::string>{Golden("0.2/leaf_request_packed")},
                               std::vector<std::string>{Golden("0.2/leaf_request_piece_1"),
                                                        Golden("0.2/leaf_request_piece_2")}}) {
    const auto read = DecodeRequest(messages);
    const auto decoded = DecodeSegmentLists(read->view);
    REQUIRE(decoded.ok());
    CHECK(decoded->encoding == SegmentListEncoding::kPacked);
    REQUIRE(decoded->groups.size() == 1);
    CHECK(decoded->groups[0].key == "events_OFFLINE");
    auto read_names = decoded->groups[0].names;
    std::sort(read_names.begin(), read_names.end());
    std::vector<std::string_view> expected(names.begin(), names.end());
    std::sort(expected.begin(), expected.end());
    CHECK(read_names == expected);
  }
}

TEST_CASE("0.2: answers and watches") {
  CheckGolden("0.2/leaf_accepted", EncodeLeafAccepted(SecondAccepted()));
  CHECK(DecodeGolden<LeafAccepted>("0.2/leaf_accepted") == SecondAccepted());
  CheckGolden("0.2/watch_request", EncodeWatchRequest({{kInventoryDeltasFeature}}));
  CHECK(DecodeWatchRequest(AsBytes(Golden("0.2/watch_request")))->features ==
        std::vector<std::string>{kInventoryDeltasFeature});
}

TEST_CASE("0.2: an inventory in updates") {
  const std::vector<std::string> names = SecondNames();
  const Inventory expected = SecondInventory(names);
  CheckGolden("0.2/inventory", *EncodeInventory(expected));
  const std::string bytes = Golden("0.2/inventory");
  const auto decoded = DecodeInventory(AsBytes(bytes));
  REQUIRE(decoded.ok());
  CHECK(decoded->features == expected.features);
  CHECK(decoded->complete);
  REQUIRE(decoded->updates.size() == expected.updates.size());
  for (size_t i = 0; i < expected.updates.size(); ++i) {
    const TableUpdate& a = expected.updates[i];
    const TableUpdate& b = decoded->updates[i];
    CHECK(a.table == b.table);
    CHECK(a.incarnation == b.incarnation);
    CHECK(a.epoch == b.epoch);
    CHECK(a.base_epoch == b.base_epoch);
    CHECK(a.more == b.more);
    CHECK(a.gone == b.gone);
    CHECK(a.description == b.description);
    CHECK(a.dropped == b.dropped);
    CheckEqual(a.added, b.added);
  }
}

}  // namespace trellis::wire
