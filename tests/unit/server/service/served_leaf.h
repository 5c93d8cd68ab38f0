#pragma once

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "common/rpc/call.h"
#include "common/rpc/server_runner.h"
#include "server/service/leaf_server.h"
#include "tests/unit/server/service/leaf_requests.h"

namespace trellis::server {

using namespace std::chrono_literals;

// Collects a stream and lets the test wait for what comes.
class Collector : public rpc::StreamHandler {
 public:
  void OnMessage(wire::SharedBytes message) override {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  void OnDone(Status status) override {
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    ended_ = true;
    changed_.notify_all();
  }
  bool WaitMessages(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return messages_.size() >= count; });
  }
  Status WaitDone() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 20s, [&] { return ended_; }))
      return Status::Internal("no end within 20 s");
    return status_;
  }
  bool ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  std::vector<wire::SharedBytes> messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<wire::SharedBytes> messages_;
  Status status_;
  bool ended_ = false;
};

// One whole answer of a leaf: its three kinds of messages.
struct LeafAnswer {
  wire::LeafAccepted accepted;
  std::vector<wire::LeafAccepted> later;  // which segments were left out afterwards
  std::vector<Block> blocks;
  wire::LeafDone done;
  size_t row_count() const {
    size_t rows = 0;
    for (const Block& block : blocks) rows += block.rows;
    return rows;
  }
};

// Refuses a stream that is not accepted, left out, blocks, done, in this order.
inline LeafAnswer ReadAnswer(const std::vector<wire::SharedBytes>& messages) {
  LeafAnswer answer;
  REQUIRE(messages.size() >= 2);
  for (size_t i = 0; i < messages.size(); ++i) {
    auto message = wire::DecodeLeafMessage(messages[i]);
    REQUIRE(message.status().message() == "");
    if (i == 0) {
      answer.accepted = std::get<wire::LeafAccepted>(*message);
    } else if (i + 1 == messages.size()) {
      answer.done = std::get<wire::LeafDone>(*message);
    } else if (auto* later = std::get_if<wire::LeafAccepted>(&*message)) {
      REQUIRE(answer.blocks.empty());
      answer.later.push_back(*later);
    } else {
      answer.blocks.push_back(std::get<Block>(std::move(*message)));
    }
  }
  return answer;
}

// A leaf server behind a real gRPC server on a free loopback port.
struct ServedLeaf {
  explicit ServedLeaf(LeafServerOptions options = {},
                      std::shared_ptr<ServerInventory> inventory = ExampleInventory())
      : leaf(std::move(inventory), options) {}
  LeafServer leaf;
  std::unique_ptr<rpc::ServerRunner> server =
      rpc::ServerRunner::Start({"127.0.0.1", 0}, leaf.services()).value();
  std::shared_ptr<rpc::Channel> channel = rpc::Channel::Create(server->address());

  struct Call {
    std::shared_ptr<Collector> collector = std::make_shared<Collector>();
    std::shared_ptr<rpc::StreamCall> stream;
  };
  Call Start(const char* method, wire::Slices request, rpc::CallOptions options = {60s}) {
    Call call;
    call.stream =
        rpc::StreamCall::Start(channel, method, std::move(request), call.collector, options);
    return call;
  }
  Call Start(const char* method, std::vector<wire::Slices> requests,
             rpc::CallOptions options = {60s}) {
    Call call;
    call.stream =
        rpc::StreamCall::Start(channel, method, std::move(requests), call.collector, options);
    return call;
  }
  Call Execute(const wire::LeafRequest& request, rpc::CallOptions options = {60s},
               size_t list_chunk_bytes = wire::kMessageLimits.list_chunk_bytes) {
    return Start(wire::kLeafExecuteMethod,
                 wire::EncodeLeafRequest(request, list_chunk_bytes).value(), options);
  }
  LeafAnswer Answer(const wire::LeafRequest& request,
                    size_t list_chunk_bytes = wire::kMessageLimits.list_chunk_bytes) {
    Call call = Execute(request, {60s}, list_chunk_bytes);
    REQUIRE(call.collector->WaitDone().message() == "");
    return ReadAnswer(call.collector->messages());
  }
  // The server's answer to Cancel: whether it knew the query.
  bool CancelQuery(const std::string& id) {
    std::promise<bool> found;
    rpc::CallUnary(channel, wire::kLeafCancelMethod,
                   {wire::SharedBytes::Own(wire::EncodeCancelRequest(id))}, {},
                   [&](Status status, wire::SharedBytes bytes) {
                     found.set_value(status.ok() && wire::DecodeCancelResponse(bytes.view).value());
                   });
    return found.get_future().get();
  }
  bool WaitRunning(size_t count) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (leaf.running() != count) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(1ms);
    }
    return true;
  }
};

}  // namespace trellis::server
