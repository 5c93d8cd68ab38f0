#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "common/rpc/byte_buffer.h"
#include "common/wire/leaf_messages.h"

namespace trellis::server {

// A client of Execute that sends some messages and then nothing, without saying that it is done:
// what rpc::StreamCall never does.
class UnfinishedStream : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  UnfinishedStream(const std::string& address, const std::vector<wire::Slices>& messages)
      : stub_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())) {
    for (const wire::Slices& message : messages) messages_.push_back(rpc::ToByteBuffer(message));
    stub_.PrepareBidiStreamingCall(&context_, wire::kLeafExecuteMethod, {}, this);
    StartRead(&answer_);
    WriteNext();
    StartCall();
  }
  ~UnfinishedStream() override {
    context_.TryCancel();
    ended_.wait();
  }

  void OnWriteDone(bool ok) override {
    if (ok) WriteNext();
  }
  void OnDone(const grpc::Status& status) override { done_.set_value(status); }

  grpc::Status Wait() {
    if (ended_.wait_for(std::chrono::seconds(20)) != std::future_status::ready)
      return {grpc::StatusCode::INTERNAL, "no end within 20 s"};
    return ended_.get();
  }

 private:
  void WriteNext() {
    if (written_ < messages_.size()) StartWrite(&messages_[written_++]);
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  std::vector<grpc::ByteBuffer> messages_;
  size_t written_ = 0;
  grpc::ByteBuffer answer_;
  std::promise<grpc::Status> done_;
  std::shared_future<grpc::Status> ended_ = done_.get_future().share();
};

}  // namespace trellis::server
