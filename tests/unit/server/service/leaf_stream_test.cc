#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/unit/server/service/served_leaf.h"
#include "tests/unit/server/service/unfinished_stream.h"

namespace trellis::server {
namespace {

using Names = std::vector<std::string>;
using Messages = std::vector<wire::Slices>;

// Rows enough that the answer takes many messages and fills gRPC's windows: 300,000, of
// InventoryOfCopies(kManyCopies).
constexpr size_t kManyCopies = 300;
wire::LeafRequest LargeAnswer(const std::string& query_id) {
  auto request = LeafRequestOf(SelectStage({"trip_id", "station", "comment", "weather", "meters",
                                            "bike_id", "tags", "started_at"},
                                           1'000'000),
                               CopyNames(kManyCopies));
  request.query_id = query_id;
  return request;
}

TEST_CASE("a stage answers accepted, its rows and done") {
  ServedLeaf served;
  const LeafAnswer answer =
      served.Answer(LeafRequestOf(SelectStage({"trip_id", "tags"}, 10'000), SegmentNames()));
  wire::LeafAccepted accepted;
  accepted.incarnation = ExampleRides()->incarnation();
  accepted.epoch = ExampleRides()->epoch();
  CHECK(answer.accepted == accepted);
  CHECK(answer.done.status.message() == "");
  CHECK(answer.row_count() == 5000);
  CHECK(answer.done.statistics.segments_queried == 5);
  CHECK(answer.done.statistics.segments_processed == 5);
  CHECK(answer.done.statistics.segments_matched == 5);
  CHECK(answer.done.statistics.documents_scanned == 5000);
  CHECK(answer.done.statistics.documents_total == 5000);
  CHECK(served.WaitRunning(0));
}

TEST_CASE("an empty list answers one block over no rows") {
  ServedLeaf served;
  const LeafAnswer answer = served.Answer(LeafRequestOf(CountStage(), Names()));
  CHECK(answer.done.status.ok());
  REQUIRE(answer.blocks.size() == 1);
  CHECK(answer.blocks[0].rows == 1);
}

TEST_CASE("missing and broken segments are in accepted, the others are answered") {
  ServedLeaf served({}, InventoryWithBrokenSegment());
  const LeafAnswer answer =
      served.Answer(LeafRequestOf(SelectStage({"trip_id"}, 10'000),
                                  Names{"gone", SegmentNames()[0], "torn", SegmentNames()[2]}));
  CHECK(answer.accepted.missing == std::vector<std::string>{"gone"});
  CHECK(answer.accepted.broken == std::vector<wire::BrokenSegment>{{"torn", "cut short"}});
  CHECK(answer.done.status.ok());
  CHECK(answer.row_count() == 2000);
}

TEST_CASE("a list by ordinals is answered, one that is stale runs nothing") {
  ServedLeaf served;
  const plan::LeafStage stage = SelectStage({"trip_id"}, 10'000);
  wire::KnownSegments known = KnownOf(*ExampleRides(), Roaring::bitmapOf(1, 2), true);
  const LeafAnswer answer = served.Answer(LeafRequestOf(stage, known));
  CHECK(answer.done.status.message() == "");
  CHECK(answer.row_count() == 4000);
  CHECK(answer.done.statistics.list_encoding == "known");
  ++known.incarnation;
  const LeafAnswer stale = served.Answer(LeafRequestOf(stage, known));
  CHECK(stale.accepted.stale);
  CHECK(stale.accepted.incarnation == ExampleRides()->incarnation());
  CHECK(stale.blocks.empty());
  CHECK(stale.done.status.code() == StatusCode::kFailedPrecondition);
  CHECK(served.WaitRunning(0));
}

TEST_CASE("a query goes on over the segments it has pinned when they are dropped") {
  const auto inventory = InventoryOfCopies(kManyCopies);
  ServedLeaf served({}, inventory);
  auto request = LargeAnswer("pinned");
  rpc::CallOptions slow{60s};
  slow.read_automatically = false;
  auto call = served.Execute(request, slow);
  REQUIRE(call.collector->WaitMessages(1));
  inventory->Find("rides_OFFLINE")->Apply({}, CopyNames(kManyCopies));
  inventory->Remove("rides_OFFLINE");
  inventory->Changed();
  for (size_t i = 1; !call.collector->ended(); ++i) {
    call.stream->ReadNext();
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!call.collector->ended() && call.collector->messages().size() <= i &&
           std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(100us);
  }
  const LeafAnswer answer = ReadAnswer(call.collector->messages());
  CHECK(answer.done.status.message() == "");
  CHECK(answer.row_count() == 300'000);
}

TEST_CASE("a long list in pieces is one list, wherever it is cut") {
  ServedLeaf served;
  Names names = SegmentNames();
  for (int i = 0; i < 1'000; ++i) names.push_back("gone_" + std::to_string(i));
  const auto request = LeafRequestOf(CountStage(), names);
  for (const size_t chunk_bytes : {size_t{1'000}, size_t{37}, request.segments->size_bytes() - 1,
                                   request.segments->size_bytes()}) {
    INFO("pieces of " << chunk_bytes);
    const LeafAnswer answer = served.Answer(request, chunk_bytes);
    CHECK(answer.done.status.message() == "");
    CHECK(answer.done.statistics.segments_queried == 5);
    CHECK(answer.accepted.missing.size() == 1'000);
  }
  CHECK(served.WaitRunning(0));
}

TEST_CASE("more missing names than one message holds are an error that arrives") {
  ServedLeaf served;
  Names names;
  for (int i = 0; i < 70'000; ++i) names.push_back(fmt::format("{:01000}", i));
  auto call = served.Execute(LeafRequestOf(CountStage(), names));
  REQUIRE(call.collector->WaitDone().ok());
  REQUIRE(call.collector->messages().size() == 1);
  const auto done =
      std::get<wire::LeafDone>(wire::DecodeLeafMessage(call.collector->messages()[0]).value());
  CHECK(done.status.code() == StatusCode::kResourceExhausted);
  CHECK(done.status.message().find("missing segments") != std::string::npos);
  CHECK(done.status.message().find("67108864") != std::string::npos);
}

TEST_CASE("a long list of too few or too many bytes ends the call and says so") {
  ServedLeaf served;
  const auto messages =
      wire::EncodeLeafRequest(LeafRequestOf(CountStage(), SegmentNames()), 50).value();
  REQUIRE(messages.size() > 3);
  std::vector<wire::Slices> short_list(messages.begin(), messages.end() - 1);
  auto too_few = served.Start(wire::kLeafExecuteMethod, short_list);
  const Status few = too_few.collector->WaitDone();
  CHECK(few.code() == StatusCode::kInvalidArgument);
  CHECK_THAT(few.message(), Catch::Contains("ended after"));
  std::vector<wire::Slices> long_list = messages;
  long_list.back() = messages[messages.size() - 2];  // a whole piece for the last bytes
  auto too_many = served.Start(wire::kLeafExecuteMethod, long_list);
  const Status many = too_many.collector->WaitDone();
  CHECK(many.code() == StatusCode::kInvalidArgument);
  CHECK_THAT(many.message(), Catch::Contains("announced"));
  CHECK(too_many.collector->messages().empty());
  std::vector<wire::Slices> odd = messages;
  odd[1] = {wire::SharedBytes::Own("\xff\xff\xff")};
  CHECK(served.Start(wire::kLeafExecuteMethod, odd).collector->WaitDone().code() ==
        StatusCode::kInvalidArgument);
  CHECK(served.WaitRunning(0));
}

TEST_CASE("long lists under way over list_bytes_max are refused, and counted down when they end") {
  LeafServerOptions options;
  options.list_bytes_max = 10'000;
  ServedLeaf served(options);
  Names names = SegmentNames();
  for (int i = 0; i < 5'000; ++i) names.push_back("gone_" + std::to_string(i));
  for (int i = 0; i < 3; ++i) {
    auto call = served.Execute(LeafRequestOf(CountStage(), names), {60s}, 1'000);
    const Status refused = call.collector->WaitDone();
    CHECK(refused.code() == StatusCode::kResourceExhausted);
    CHECK_THAT(refused.message(), Catch::Contains("10000"));
  }
  REQUIRE(served.WaitRunning(0));
  CHECK(served.Answer(LeafRequestOf(CountStage(), SegmentNames()), 100).done.status.ok());
}

TEST_CASE("a client that leaves in the middle of its list frees the server") {
  ServedLeaf served;
  auto messages = wire::EncodeLeafRequest(LeafRequestOf(CountStage(), SegmentNames()), 50).value();
  messages.pop_back();
  auto call = served.Start(wire::kLeafExecuteMethod, messages);
  call.stream->TryCancel();
  CHECK_FALSE(call.collector->WaitDone().ok());
  CHECK(served.WaitRunning(0));
}

TEST_CASE("answers are delayed as the option says, and not after a cancel") {
  LeafServerOptions options;
  options.delay_answers_ms = 300ms;
  ServedLeaf served(options);
  const auto start = std::chrono::steady_clock::now();
  std::vector<ServedLeaf::Call> calls;  // more than threads: none of them is held
  for (int i = 0; i < 8; ++i)
    calls.push_back(served.Execute(LeafRequestOf(CountStage(), SegmentNames())));
  for (const auto& call : calls) {
    CHECK(call.collector->WaitDone().ok());
    CHECK(ReadAnswer(call.collector->messages()).done.status.ok());
  }
  CHECK(std::chrono::steady_clock::now() - start >= 300ms);
  options.delay_answers_ms = 60s;
  ServedLeaf slow(options);
  auto call = slow.Execute(LeafRequestOf(CountStage(), SegmentNames()));
  REQUIRE(slow.WaitRunning(1));
  std::this_thread::sleep_for(50ms);
  call.stream->TryCancel();
  CHECK(call.collector->WaitDone().code() == StatusCode::kCancelled);
  CHECK(slow.WaitRunning(0));
}

TEST_CASE("bytes that are no request end the call with INVALID_ARGUMENT and harm nobody") {
  ServedLeaf served;
  const std::string good = wire::Join(
      wire::EncodeLeafRequest(LeafRequestOf(CountStage(), SegmentNames()), 1 << 20).value().at(0));
  for (const std::string& bytes : {std::string("\xff\xff\xff\xff"), std::string(),
                                   good.substr(0, good.size() / 2), std::string(100'000, '\x0a')}) {
    INFO(bytes.size() << " bytes");
    auto call = served.Start(wire::kLeafExecuteMethod, wire::Slices{wire::SharedBytes::Own(bytes)});
    const Status status = call.collector->WaitDone();
    const auto messages = call.collector->messages();
    if (status.ok()) {
      // A message that parses and lacks something is answered by done.
      REQUIRE(messages.size() == 1);
      const auto done = wire::DecodeLeafMessage(messages[0]).value();
      CHECK_FALSE(std::get<wire::LeafDone>(done).status.ok());
    } else {
      CHECK(messages.empty());
      CHECK((status.code() == StatusCode::kInvalidArgument ||
             status.code() == StatusCode::kFailedPrecondition));
    }
  }
  CHECK(served.WaitRunning(0));
  CHECK(served.Answer(LeafRequestOf(CountStage(), SegmentNames())).done.status.ok());
}

TEST_CASE("a stage that cannot run is answered by done alone, with Pinot's code") {
  ServedLeaf served;
  auto request = LeafRequestOf(CountStage(), SegmentNames());
  request.segments.reset();
  auto call = served.Execute(request);
  REQUIRE(call.collector->WaitDone().ok());
  REQUIRE(call.collector->messages().size() == 1);
  const auto done =
      std::get<wire::LeafDone>(wire::DecodeLeafMessage(call.collector->messages()[0]).value());
  CHECK(done.status.code() == StatusCode::kInvalidArgument);
}

TEST_CASE("a client that leaves mid-way frees the server, whoever was writing") {
  ServedLeaf served({}, InventoryOfCopies(kManyCopies));
  for (const size_t read_count : {0, 1, 3}) {
    INFO("messages read " << read_count);
    rpc::CallOptions options{60s};
    options.read_automatically = false;
    auto call = served.Execute(LargeAnswer("leaver"), options);
    REQUIRE(call.collector->WaitMessages(1));
    for (size_t i = 0; i < read_count; ++i) {
      call.stream->ReadNext();
      REQUIRE(call.collector->WaitMessages(i + 2));
    }
    std::this_thread::sleep_for(200ms);  // the answer is complete and waits for the client
    call.stream->TryCancel();
    CHECK(call.collector->WaitDone().code() == StatusCode::kCancelled);
    CHECK(served.WaitRunning(0));
  }
  served.server->Shutdown(std::chrono::hours(1));  // a call left behind would hold it for so long
}

TEST_CASE("Cancel ends the stages of its query and no other") {
  LeafServerOptions options;
  options.threads = 1;
  ServedLeaf served(options, InventoryOfCopies(4'000));
  CHECK_FALSE(served.CancelQuery("nobody"));
  // Grouped by a raw column over a long list: some seconds of work if it is let run.
  plan::LeafStage stage = CountStage();
  stage.shape = plan::QueryShape::kGroupBy;
  stage.keys = {plan::Expression::Column("comment", {DataType::kString, false})};
  auto request = LeafRequestOf(stage, CopyNames(4'000));
  request.query_id = "long";
  auto call = served.Execute(request);
  REQUIRE(call.collector->WaitMessages(1));
  CHECK_FALSE(served.CancelQuery("other"));
  CHECK(served.CancelQuery("long"));
  REQUIRE(call.collector->WaitDone().ok());
  const LeafAnswer answer = ReadAnswer(call.collector->messages());
  CHECK(answer.done.status.code() == StatusCode::kCancelled);
  CHECK(answer.blocks.empty());
  CHECK(served.WaitRunning(0));
  CHECK_FALSE(served.CancelQuery("long"));
}

TEST_CASE("a stage over running_max is refused, and let in once another ended") {
  LeafServerOptions options;
  options.running_max = 1;
  ServedLeaf served(options, InventoryOfCopies(kManyCopies));
  rpc::CallOptions slow{60s};
  slow.read_automatically = false;
  auto first = served.Execute(LargeAnswer("first"), slow);
  REQUIRE(first.collector->WaitMessages(1));
  auto second = served.Execute(LeafRequestOf(CountStage(), SegmentNames()));
  const Status refused = second.collector->WaitDone();
  CHECK(refused.code() == StatusCode::kResourceExhausted);
  CHECK_THAT(refused.message(), Catch::Contains("running_max"));
  first.stream->TryCancel();
  CHECK(first.collector->WaitDone().code() == StatusCode::kCancelled);
  REQUIRE(served.WaitRunning(0));
  CHECK(served.Answer(LeafRequestOf(CountStage(), CopyNames(5))).done.status.ok());
}

TEST_CASE("streams that do not finish their request in time free their slots") {
  LeafServerOptions options;
  options.running_max = 20;
  options.request_ms_max = 300ms;
  ServedLeaf served(options);
  const auto request = LeafRequestOf(CountStage(), SegmentNames());
  const size_t list_bytes = request.segments->size_bytes();
  auto messages = wire::EncodeLeafRequest(request, 20).value();
  REQUIRE(messages.size() > 4);
  messages.resize(4);  // 80 bytes of the list
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<UnfinishedStream>> silent;
  std::vector<std::unique_ptr<UnfinishedStream>> stuck;
  for (size_t i = 0; i < options.running_max / 2; ++i) {
    silent.push_back(std::make_unique<UnfinishedStream>(served.server->address(), Messages()));
    stuck.push_back(std::make_unique<UnfinishedStream>(served.server->address(), messages));
  }
  REQUIRE(served.WaitRunning(options.running_max));
  for (const auto& call : silent) {
    const grpc::Status late = call->Wait();
    CHECK(late.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED);
    CHECK_THAT(late.error_message(), Catch::Contains("no request came within 300 ms"));
  }
  for (const auto& call : stuck) {
    const grpc::Status late = call->Wait();
    CHECK(late.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED);
    CHECK_THAT(late.error_message(),
               Catch::Contains(fmt::format("list of {} bytes ended after 80", list_bytes)));
  }
  CHECK(std::chrono::steady_clock::now() - start >= 300ms);
  CHECK(served.WaitRunning(0));
  CHECK(served.Answer(request, 20).done.status.ok());
}

TEST_CASE("the time for a request is not its query's") {
  LeafServerOptions options;
  options.request_ms_max = 150ms;
  options.delay_answers_ms = 400ms;
  ServedLeaf served(options);
  CHECK(served.Answer(LeafRequestOf(CountStage(), SegmentNames())).done.status.ok());
}

TEST_CASE("requests that are complete about when their time is over are answered or late") {
  LeafServerOptions options;
  options.request_ms_max = 3ms;
  ServedLeaf served(options);
  const auto request = LeafRequestOf(CountStage(), SegmentNames());
  for (int round = 0; round < 20; ++round) {
    std::vector<ServedLeaf::Call> calls;
    for (int i = 0; i < 20; ++i) calls.push_back(served.Execute(request, {60s}, 4));
    for (const auto& call : calls) {
      const Status status = call.collector->WaitDone();
      if (status.ok()) {
        CHECK(ReadAnswer(call.collector->messages()).done.status.ok());
      } else {
        CHECK(status.code() == StatusCode::kDeadlineExceeded);
        CHECK(call.collector->messages().empty());
      }
    }
  }
  CHECK(served.WaitRunning(0));
}

TEST_CASE("an answer over result_bytes_max ends with a resource error") {
  LeafServerOptions options;
  options.result_bytes_max = 10'000;
  ServedLeaf served(options);
  auto call = served.Execute(LeafRequestOf(SelectStage({"trip_id"}, 10'000), SegmentNames()));
  REQUIRE(call.collector->WaitDone().ok());
  const LeafAnswer answer = ReadAnswer(call.collector->messages());
  CHECK(answer.done.status.code() == StatusCode::kResourceExhausted);
  CHECK(answer.done.status.pinot_code() == PinotCode::kServerResourceLimit);
}

TEST_CASE("a server that stopped accepting refuses new stages by Pinot's code") {
  ServedLeaf served;
  served.leaf.StopAccepting();
  auto call = served.Execute(LeafRequestOf(CountStage(), SegmentNames()));
  const Status status = call.collector->WaitDone();
  CHECK(status.code() == StatusCode::kUnavailable);
  CHECK(status.pinot_code() == PinotCode::kServerShuttingDown);
}

// The example's rides, one of whose files ends early since it was mapped.
std::shared_ptr<ServerInventory> InventoryWithCutSegment(const std::filesystem::path& folder) {
  std::vector<InventorySegment> segments = RidesSegments();
  const std::string name = segments[1].facts.name;
  std::filesystem::remove_all(folder);
  std::filesystem::copy(std::filesystem::path(TRELLIS_EXAMPLE_DATA) / "rides" / name, folder,
                        std::filesystem::copy_options::recursive);
  segments[1].segment = segment::Segment::Open(folder).value();
  std::filesystem::resize_file(folder / "v3" / "columns.psf", 4096);
  auto inventory = std::make_shared<ServerInventory>();
  const TableInfo& info = ExampleRides()->info();
  inventory->Table(info.name, info)->Apply(std::move(segments), {});
  return inventory;
}

TEST_CASE("a segment that turns out to be damaged is left out, said so, and the others answer") {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("cut_{}", ::getpid());
  ServedLeaf served({}, InventoryWithCutSegment(folder));
  const std::vector<std::string> names = SegmentNames();
  const LeafAnswer answer = served.Answer(LeafRequestOf(SelectStage({"trip_id"}, 100'000), names));
  CHECK(answer.done.status.message() == "");
  CHECK(answer.accepted.broken.empty());
  REQUIRE(answer.later.size() == 1);
  REQUIRE(answer.later[0].broken.size() == 1);
  CHECK(answer.later[0].broken[0].name == names[1]);
  CHECK_THAT(answer.later[0].broken[0].reason, Catch::Contains("columns.psf"));
  CHECK(answer.done.statistics.segments_queried == 4);
  CHECK(answer.done.statistics.documents_total == 4000);
  CHECK(answer.done.statistics.documents_scanned == 4000);
  CHECK(answer.row_count() == 4000);
  // Alone it leaves an answer over no rows.
  const LeafAnswer alone =
      served.Answer(LeafRequestOf(SelectStage({"trip_id"}, 10), Names{names[1]}));
  CHECK(alone.done.status.message() == "");
  CHECK(alone.later.size() == 1);
  CHECK(alone.done.statistics.segments_queried == 0);
  CHECK(alone.row_count() == 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace trellis::server
