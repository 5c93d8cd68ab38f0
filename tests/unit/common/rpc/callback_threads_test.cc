#include "common/rpc/callback_threads.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <future>

#include "common/rpc/call.h"

namespace trellis::rpc {
namespace {

TEST_CASE("channels that come and go one after the other leave the process standing") {
  KeepCallbackThreads();
  KeepCallbackThreads();
  // Without a kept user, each round ends gRPC's callback threads and may abort.
  for (int round = 0; round < 50; ++round) {
    std::promise<Status> done;
    CallOptions options;
    options.timeout = std::chrono::milliseconds(1'000);
    CallUnary(Channel::Create("unix:trellis-nobody-here"), "/trellis/Nobody",
              {wire::SharedBytes::Own("")}, options,
              [&](Status status, wire::SharedBytes) { done.set_value(std::move(status)); });
    CHECK_FALSE(done.get_future().get().ok());
  }
}

}  // namespace
}  // namespace trellis::rpc
