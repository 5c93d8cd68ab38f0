#include "common/rpc/callback_threads.h"

#include <absl/synchronization/mutex.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <mutex>

namespace trellis::rpc {
namespace {

// A channel to nobody, with one failed call: what makes a channel a user of the callback threads.
struct Keeper {
  Keeper() : stub(grpc::CreateChannel("unix:trellis-nobody", grpc::InsecureChannelCredentials())) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
    const grpc::Slice nothing;
    request = grpc::ByteBuffer(&nothing, 1);
    stub.UnaryCall(&context, "/trellis/Nobody", grpc::StubOptions(), &request, &response,
                   [](const grpc::Status&) {});
  }
  grpc::GenericStub stub;
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
};

}  // namespace

void PrepareGrpc() {
  static std::once_flag once;
  std::call_once(once, [] { absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore); });
}

void KeepCallbackThreads() {
  PrepareGrpc();
  static const auto* const kept = new Keeper;  // never deleted, on purpose
  (void)kept;
}

}  // namespace trellis::rpc
