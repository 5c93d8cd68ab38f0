#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/rpc/server_runner.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/leaf.grpc.pb.h"

namespace trellis::broker {

// One request of a leaf that answers what the test says. COUNT(*) over segments of ten rows.
class ScriptedCall {
 public:
  using Stream = grpc::ServerReaderWriter<v1::LeafResponse, v1::LeafRequest>;

  ScriptedCall(grpc::ServerContext& context, Stream& stream) : context_(context), stream_(stream) {
    v1::LeafRequest request;
    while (stream.Read(&request)) {
      ++messages;
      longest_message_bytes = std::max(longest_message_bytes, request.ByteSizeLong());
      if (messages == 1) attempt = request.attempt();
      list_bytes_ += messages == 1 && request.list_bytes() == 0
                         ? request.segments().SerializeAsString()
                         : request.list_chunk();
    }
    auto list = wire::DecodeSegmentLists(AsBytes(list_bytes_));
    INFO(list.status().message());
    if (!list.ok()) return;
    encoding = list->encoding;
    for (const wire::SegmentListGroup& group : list->groups) {
      for (const std::string_view name : group.names) names.emplace_back(name);
    }
    if (!list->known.empty()) known = list->known[0];
  }

  void Accept(wire::LeafAccepted accepted = {}) { Write(wire::EncodeLeafAccepted(accepted)); }
  void Missing(std::vector<std::string> missing) {
    wire::LeafAccepted accepted;
    accepted.missing = std::move(missing);
    Accept(accepted);
  }
  void Broken(const std::vector<std::string>& names) {
    wire::LeafAccepted accepted;
    for (const std::string& name : names)
      accepted.broken.push_back({name, "its bytes are damaged"});
    Accept(accepted);
  }
  // A block that counts `segments` of ten rows.
  void Count(size_t segments) {
    auto block = std::make_shared<Block>();
    block->columns.emplace_back(ValueType{DataType::kLong, false});
    block->columns[0].Append(Value::Long(10 * static_cast<int64_t>(segments)));
    block->rows = 1;
    Write(wire::Join(*wire::EncodeLeafBlock(block)));
  }
  void Done(Status status = {}) {
    wire::LeafDone done;
    done.status = std::move(status);
    done.statistics.segments_queried = static_cast<int64_t>(names.size());
    done.statistics.decode_us = 1;
    Write(wire::EncodeLeafDone(done));
  }
  // Everything as it should be.
  void Answer() {
    Accept();
    Count(names.size());
    Done();
  }
  // False when the broker has cancelled the call meanwhile.
  bool Wait(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
      if (context_.IsCancelled()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  bool WaitCancelled() { return !Wait(std::chrono::seconds(20)); }

  uint64_t attempt = 0;
  size_t messages = 0;
  size_t longest_message_bytes = 0;
  wire::SegmentListEncoding encoding = wire::SegmentListEncoding::kNames;
  std::vector<std::string> names;
  wire::KnownSegments known;
  grpc::Status end;  // of the stream

 private:
  void Write(const std::string& bytes) {
    v1::LeafResponse response;
    if (response.ParseFromString(bytes)) stream_.Write(response);
  }
  grpc::ServerContext& context_;
  Stream& stream_;
  std::string list_bytes_;
};

// A leaf whose answers are `script`'s, on a port of its own. The script runs on gRPC's threads.
class ScriptedLeaf {
 public:
  using Script = std::function<void(ScriptedCall&)>;

  explicit ScriptedLeaf(Script script = [](ScriptedCall& call) { call.Answer(); })
      : service_(std::move(script)) {
    auto runner = rpc::ServerRunner::Start({"127.0.0.1", 0}, {&service_});
    INFO(runner.status().message());
    REQUIRE(runner.ok());
    runner_ = std::move(*runner);
  }
  ~ScriptedLeaf() { runner_->Shutdown(std::chrono::milliseconds(0)); }
  std::string target() const { return "127.0.0.1:" + std::to_string(runner_->port()); }
  int calls() const { return service_.calls; }

 private:
  struct Service final : v1::LeafService::Service {
    explicit Service(Script s) : script(std::move(s)) {}
    grpc::Status Execute(grpc::ServerContext* context, ScriptedCall::Stream* stream) override {
      ScriptedCall call(*context, *stream);
      ++calls;
      script(call);
      return call.end;
    }
    Script script;
    std::atomic<int> calls{0};
  };
  Service service_;
  std::unique_ptr<rpc::ServerRunner> runner_;
};

}  // namespace trellis::broker
