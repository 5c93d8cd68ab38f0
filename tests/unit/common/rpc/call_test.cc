#include "common/rpc/call.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

#include "common/rpc/byte_buffer.h"
#include "common/rpc/server_runner.h"
#include "common/rpc/status_conversion.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/message_limits.h"
#include "trellis/v1/leaf.grpc.pb.h"

namespace trellis::rpc {
namespace {

using namespace std::chrono_literals;

// Answers a request "N" with N messages of the request, "fail" with an error, "hang" not at all.
class EchoReactor : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  EchoReactor() { StartRead(&request_); }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    const std::string text(AsText(FromByteBuffer(request_)->view));
    if (text == "hang") return;
    if (text == "fail") {
      Finish(ToGrpcStatus(Status::Query(PinotCode::kUnknownColumn, "no such column")));
      return;
    }
    left_ = std::stoi(text);
    Next();
  }
  void OnWriteDone(bool ok) override { ok ? Next() : Finish(grpc::Status::CANCELLED); }
  void OnCancel() override {
    if (left_ < 0) Finish(grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

 private:
  void Next() {
    if (left_ == 0) {
      Finish(grpc::Status::OK);
      return;
    }
    response_ = ToByteBuffer(std::string(200'000, static_cast<char>('0' + left_-- % 10)));
    StartWrite(&response_);
  }
  grpc::ByteBuffer request_, response_;
  int left_ = -1;
};

// Reads requests until the sender has no more and answers with each of them, in order. The request
// "stop" ends the stream at once, well; "refuse" with an error; "deaf" stops reading for ever.
class GatherReactor : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  GatherReactor() { StartRead(&request_); }
  void OnReadDone(bool ok) override {
    if (!ok) {
      if (!finished_) Next();
      return;
    }
    requests_.emplace_back(AsText(FromByteBuffer(request_)->view));
    if (requests_.back() == "stop") return End(grpc::Status::OK);
    if (requests_.back() == "refuse")
      return End(ToGrpcStatus(Status::ResourceExhausted("too much")));
    if (requests_.back() != "deaf") StartRead(&request_);
  }
  void OnWriteDone(bool ok) override { ok ? Next() : End(grpc::Status::CANCELLED); }
  void OnCancel() override {
    if (!requests_.empty() && requests_.back() == "deaf") End(grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

 private:
  void End(const grpc::Status& status) {
    finished_ = true;
    Finish(status);
  }
  void Next() {
    if (answered_ == requests_.size()) return End(grpc::Status::OK);
    response_ = ToByteBuffer(requests_[answered_++]);
    StartWrite(&response_);
  }
  grpc::ByteBuffer request_, response_;
  std::vector<std::string> requests_;
  size_t answered_ = 0;
  bool finished_ = false;
};

class Leaf final : public v1::LeafService::WithRawCallbackMethod_Execute<
                       v1::LeafService::WithRawCallbackMethod_Cancel<v1::LeafService::Service>> {
 public:
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Execute(
      grpc::CallbackServerContext*) override {
    if (gathers) return new GatherReactor;
    return new EchoReactor;
  }
  bool gathers = false;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override {
    auto* reactor = context->DefaultReactor();
    const auto id = wire::DecodeCancelRequest(FromByteBuffer(*request)->view);
    *response = ToByteBuffer(wire::EncodeCancelResponse(*id == "known"));
    reactor->Finish(*id == "refused" ? ToGrpcStatus(Status::NotFound("nothing to cancel"))
                                     : grpc::Status::OK);
    return reactor;
  }
};

// Collects a stream and lets the test wait for its end.
class Collector : public StreamHandler {
 public:
  void OnMessage(wire::SharedBytes message) override {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  void OnDone(Status status) override {
    const std::lock_guard lock(mutex_);
    ++ends_;
    status_ = std::move(status);
    changed_.notify_all();
  }
  bool WaitMessages(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return messages_.size() >= count; });
  }
  Status WaitDone() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 10s, [&] { return ends_ != 0; }))
      return Status::Internal("no end within 10 s");
    CHECK(ends_ == 1);
    return status_;
  }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return messages_.size();
  }
  std::vector<wire::SharedBytes> messages_;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Status status_;
  int ends_ = 0;
};

struct Fixture {
  Leaf leaf;
  std::unique_ptr<ServerRunner> server = ServerRunner::Start({"127.0.0.1", 0}, {&leaf}).value();
  std::shared_ptr<Channel> channel = Channel::Create(server->address());
  std::shared_ptr<Collector> collector = std::make_shared<Collector>();

  std::shared_ptr<StreamCall> Start(const std::string& request, CallOptions options = {}) {
    return StreamCall::Start(channel, wire::kLeafExecuteMethod, {wire::SharedBytes::Own(request)},
                             collector, options);
  }
  // Sends several requests to a server that gathers them.
  std::shared_ptr<StreamCall> StartMany(const std::vector<std::string>& requests,
                                        CallOptions options = {}) {
    leaf.gathers = true;
    std::vector<wire::Slices> messages;
    for (const std::string& request : requests)
      messages.push_back({wire::SharedBytes::Own(request)});
    return StreamCall::Start(channel, wire::kLeafExecuteMethod, std::move(messages), collector,
                             options);
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const wire::SharedBytes& message : collector->messages_)
      texts.emplace_back(AsText(message.view));
    return texts;
  }
  std::pair<Status, std::string> CancelCall(const std::string& id) {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<std::pair<Status, std::string>> answer;
    CallUnary(channel, wire::kLeafCancelMethod,
              {wire::SharedBytes::Own(wire::EncodeCancelRequest(id))}, {},
              [&](Status status, wire::SharedBytes bytes) {
                const std::lock_guard lock(mutex);
                answer.emplace(std::move(status), std::string(AsText(bytes.view)));
                changed.notify_all();
              });
    std::unique_lock lock(mutex);
    REQUIRE(changed.wait_for(lock, 10s, [&] { return answer.has_value(); }));
    return *answer;
  }
};

}  // namespace

TEST_CASE("a stream brings all messages in order and then its end") {
  Fixture f;
  f.Start("25");
  REQUIRE(f.collector->WaitDone().ok());
  REQUIRE(f.collector->messages_.size() == 25);
  for (int i = 0; i < 25; ++i) {
    CHECK(AsText(f.collector->messages_[static_cast<size_t>(i)].view) ==
          std::string(200'000, static_cast<char>('0' + (25 - i) % 10)));
  }
}

TEST_CASE("a server's error arrives with Pinot's code and the server's address") {
  Fixture f;
  f.Start("fail");
  const Status status = f.collector->WaitDone();
  CHECK(status.code() == StatusCode::kInvalidArgument);
  CHECK(status.pinot_code() == PinotCode::kUnknownColumn);
  CHECK(status.message() == f.server->address() + ": no such column");
}

TEST_CASE("a silent server ends in the deadline, a cancelled call as cancelled") {
  Fixture f;
  CallOptions options;
  options.timeout = 100ms;
  f.Start("hang", options);
  CHECK(f.collector->WaitDone().code() == StatusCode::kDeadlineExceeded);

  f.collector = std::make_shared<Collector>();
  const auto call = f.Start("hang");
  call->TryCancel();
  call->TryCancel();
  CHECK(f.collector->WaitDone().code() == StatusCode::kCancelled);
}

TEST_CASE("a reader that does not ask gets no further message and can still cancel") {
  Fixture f;
  CallOptions options;
  options.read_automatically = false;
  auto call = f.Start("3", options);
  REQUIRE(f.collector->WaitMessages(1));
  std::this_thread::sleep_for(50ms);
  CHECK(f.collector->count() == 1);
  call->ReadNext();
  REQUIRE(f.collector->WaitMessages(2));
  call->ReadNext();
  REQUIRE(f.collector->WaitMessages(3));
  call->ReadNext();
  CHECK(f.collector->WaitDone().ok());

  f.collector = std::make_shared<Collector>();
  call = f.Start("1000", options);
  REQUIRE(f.collector->WaitMessages(1));
  call->TryCancel();
  CHECK(f.collector->WaitDone().code() == StatusCode::kCancelled);
  CHECK(f.collector->count() == 1);
}

TEST_CASE("several requests arrive in order, each whole, and then no more") {
  for (const size_t count : {1, 2, 3, 500}) {
    CAPTURE(count);
    Fixture f;
    std::vector<std::string> requests;
    for (size_t i = 0; i < count; ++i) requests.push_back("request " + std::to_string(i));
    f.StartMany(requests);
    REQUIRE(f.collector->WaitDone().ok());
    CHECK(f.Texts() == requests);
  }
}

TEST_CASE("large requests arrive whole, empty ones too, and a request may be in many slices") {
  Fixture f;
  std::vector<std::string> requests;
  for (char c = 'a'; c < 'q'; ++c) requests.emplace_back(c % 4 == 0 ? 0 : 1'000'000 + c, c);
  f.StartMany(requests);
  REQUIRE(f.collector->WaitDone().ok());
  CHECK(f.Texts() == requests);

  f.collector = std::make_shared<Collector>();
  wire::Slices slices;
  for (int i = 0; i < 100; ++i) slices.push_back(wire::SharedBytes::Own(std::to_string(i)));
  StreamCall::Start(f.channel, wire::kLeafExecuteMethod, std::vector<wire::Slices>{slices, slices},
                    f.collector, {});
  REQUIRE(f.collector->WaitDone().ok());
  CHECK(f.Texts() == std::vector<std::string>{wire::Join(slices), wire::Join(slices)});
}

TEST_CASE("what a request held is let go once it has left") {
  Fixture f;
  auto bytes = std::make_shared<const std::string>(100, 'x');
  const std::weak_ptr<const std::string> held = bytes;
  std::vector<wire::Slices> requests(3);
  requests[0].push_back({AsBytes(*bytes), std::move(bytes)});
  f.leaf.gathers = true;
  requests[1].push_back(wire::SharedBytes::Own("second"));
  requests[2].push_back(wire::SharedBytes::Own("deaf"));
  const auto call =
      StreamCall::Start(f.channel, wire::kLeafExecuteMethod, std::move(requests), f.collector, {});
  for (int i = 0; i < 1'000 && !held.expired(); ++i) std::this_thread::sleep_for(10ms);
  CHECK(held.expired());
  call->TryCancel();
  CHECK(f.collector->WaitDone().code() == StatusCode::kCancelled);
}

TEST_CASE("a server that ends the stream while requests are on their way is heard, once") {
  for (const std::string last_heard : {"stop", "refuse"}) {
    for (int round = 0; round < 20; ++round) {
      CAPTURE(last_heard, round);
      Fixture f;
      std::vector<std::string> requests(200, std::string(100'000, 'x'));
      requests[static_cast<size_t>(round)] = last_heard;
      f.StartMany(requests);
      const Status status = f.collector->WaitDone();
      CAPTURE(status.message());
      CHECK(status.code() ==
            (last_heard == "stop" ? StatusCode::kOk : StatusCode::kResourceExhausted));
      if (last_heard == "refuse") CHECK(status.message() == f.server->address() + ": too much");
    }
  }
}

TEST_CASE("a call is cancelled, or runs into its deadline, in the middle of its requests") {
  // A server that does not read: the transport's windows fill and the rest waits.
  std::vector<std::string> requests(200, std::string(1'000'000, 'x'));
  requests[1] = "deaf";
  Fixture f;
  auto call = f.StartMany(requests);
  std::this_thread::sleep_for(50ms);
  call->TryCancel();
  CHECK(f.collector->WaitDone().code() == StatusCode::kCancelled);

  f.collector = std::make_shared<Collector>();
  CallOptions options;
  options.timeout = 100ms;
  f.StartMany(requests, options);
  CHECK(f.collector->WaitDone().code() == StatusCode::kDeadlineExceeded);

  // Cancelled at any moment from the start on.
  for (int round = 0; round < 30; ++round) {
    f.collector = std::make_shared<Collector>();
    call = f.StartMany(std::vector<std::string>(50, std::string(10'000, 'x')));
    std::this_thread::sleep_for(std::chrono::microseconds(round * 100));
    call->TryCancel();
    const Status status = f.collector->WaitDone();
    CHECK((status.ok() || status.code() == StatusCode::kCancelled));
  }
}

TEST_CASE("several requests for a server that is not there end as unavailable") {
  const auto collector = std::make_shared<Collector>();
  const auto channel = Channel::Create("127.0.0.1:1");
  const wire::Slices request{wire::SharedBytes::Own("1")};
  StreamCall::Start(channel, wire::kLeafExecuteMethod,
                    std::vector<wire::Slices>{request, request, request}, collector, {});
  CHECK(collector->WaitDone().code() == StatusCode::kUnavailable);
}

TEST_CASE("a server that is not there is unavailable by name") {
  const auto collector = std::make_shared<Collector>();
  const auto channel = Channel::Create("127.0.0.1:1");
  StreamCall::Start(channel, wire::kLeafExecuteMethod, {wire::SharedBytes::Own("1")}, collector,
                    {});
  const Status status = collector->WaitDone();
  CHECK(status.code() == StatusCode::kUnavailable);
  CHECK(status.message().find("127.0.0.1:1: ") == 0);
  CHECK(channel->WaitConnected(50ms).code() == StatusCode::kUnavailable);
}

TEST_CASE("unary calls carry bytes and errors") {
  Fixture f;
  auto [status, bytes] = f.CancelCall("known");
  REQUIRE(status.ok());
  CHECK(*wire::DecodeCancelResponse(AsBytes(bytes)));
  std::tie(status, bytes) = f.CancelCall("refused");
  CHECK(status.code() == StatusCode::kNotFound);
  CHECK(bytes.empty());
}

TEST_CASE("a request over the message limit is refused, not sent") {
  Fixture f;
  f.Start(std::string(wire::kMessageLimits.message_bytes_max + 1, '1'));
  CHECK(f.collector->WaitDone().code() == StatusCode::kResourceExhausted);
}

}  // namespace trellis::rpc
