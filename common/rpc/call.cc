#include "common/rpc/call.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <atomic>

#include "common/rpc/byte_buffer.h"
#include "common/rpc/channel_rep.h"
#include "common/rpc/status_conversion.h"

namespace trellis::rpc {
namespace {

void Prepare(grpc::ClientContext& context, const CallOptions& options) {
  context.set_deadline(std::chrono::system_clock::now() + options.timeout);
  context.set_wait_for_ready(options.wait_for_ready);
}

// The transport's messages do not say which server: ours do.
Status Named(const grpc::Status& status, const Channel& channel) {
  return FromGrpcStatus(status).WithContext(channel.target());
}

// Holds itself from Start to OnDone, so the call never outlives its memory nor the memory the call.
// The one hold on the reactor stands for the reads that ReadNext may still ask for; it is given
// back when a read fails, after which gRPC calls OnDone.
class StreamReactor final : public StreamCall,
                            public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  StreamReactor(std::shared_ptr<Channel> channel, std::vector<wire::Slices> requests,
                std::shared_ptr<StreamHandler> handler, const CallOptions& options)
      : channel_(std::move(channel)),
        handler_(std::move(handler)),
        requests_(std::move(requests)),
        read_automatically_(options.read_automatically) {
    Prepare(context_, options);
    // Headers leave with the first request, in one packet.
    context_.set_initial_metadata_corked(true);
  }

  void Begin(const std::string& method, std::shared_ptr<StreamReactor> self) {
    self_ = std::move(self);
    channel_->rep().stub.PrepareBidiStreamingCall(&context_, method, {}, this);
    // Only after the line above is there a stream to hold.
    AddHold();
    WriteNext();
    StartRead(&incoming_);
    StartCall();
  }

  void TryCancel() override {
    cancelled_ = true;
    context_.TryCancel();
    // A stream that nobody reads would never end: the failing read is what gives the hold back.
    ReadNext();
  }
  void ReadNext() override {
    if (!reading_.exchange(true)) StartRead(&incoming_);
  }

 private:
  void WriteNext() {
    outgoing_ = ToByteBuffer(requests_[written_]);
    requests_[written_].clear();
    if (++written_ == requests_.size()) {
      StartWriteLast(&outgoing_, grpc::WriteOptions());
    } else {
      StartWrite(&outgoing_);
    }
  }
  void OnWriteDone(bool ok) override {
    if (ok && written_ < requests_.size()) WriteNext();
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      RemoveHold();
      return;
    }
    auto message = FromByteBuffer(incoming_);
    incoming_.Clear();
    if (!message.ok()) {
      fault_ = message.status();
      cancelled_ = true;
      context_.TryCancel();
    }
    if (cancelled_) {
      StartRead(&incoming_);  // what was on its way is dropped
      return;
    }
    if (read_automatically_) {
      handler_->OnMessage(std::move(message).value());
      StartRead(&incoming_);
      return;
    }
    reading_ = false;
    handler_->OnMessage(std::move(message).value());
  }

  void OnDone(const grpc::Status& status) override {
    const std::shared_ptr<StreamReactor> self = std::move(self_);
    const std::shared_ptr<StreamHandler> handler = std::move(handler_);
    handler->OnDone(fault_.ok() ? Named(status, *channel_) : fault_);
  }

  std::shared_ptr<Channel> channel_;
  std::shared_ptr<StreamHandler> handler_;
  std::vector<wire::Slices> requests_;
  size_t written_ = 0;
  grpc::ByteBuffer outgoing_;
  grpc::ByteBuffer incoming_;
  const bool read_automatically_;
  grpc::ClientContext context_;
  std::atomic<bool> reading_ = true;  // a read is under way, or the stream has ended
  std::atomic<bool> cancelled_ = false;
  Status fault_;
  std::shared_ptr<StreamReactor> self_;
};

// What a unary call needs until its answer is in.
struct UnaryState {
  std::shared_ptr<Channel> channel;
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  std::function<void(Status, wire::SharedBytes)> done;

  void Finish(const grpc::Status& status) {
    if (!status.ok()) return done(Named(status, *channel), {});
    auto bytes = FromByteBuffer(response);
    if (!bytes.ok()) return done(bytes.status(), {});
    done(Status::Ok(), std::move(bytes).value());
  }
};

}  // namespace

std::shared_ptr<StreamCall> StreamCall::Start(const std::shared_ptr<Channel>& channel,
                                              const std::string& method,
                                              std::vector<wire::Slices> requests,
                                              std::shared_ptr<StreamHandler> handler,
                                              const CallOptions& options) {
  auto reactor =
      std::make_shared<StreamReactor>(channel, std::move(requests), std::move(handler), options);
  reactor->Begin(method, reactor);
  return reactor;
}

void CallUnary(const std::shared_ptr<Channel>& channel, const std::string& method,
               wire::Slices request, const CallOptions& options,
               std::function<void(Status, wire::SharedBytes)> done) {
  auto state = std::make_shared<UnaryState>();
  state->channel = channel;
  state->request = ToByteBuffer(request);
  state->done = std::move(done);
  Prepare(state->context, options);
  channel->rep().stub.UnaryCall(&state->context, method, {}, &state->request, &state->response,
                                [state](grpc::Status status) { state->Finish(status); });
}

}  // namespace trellis::rpc
