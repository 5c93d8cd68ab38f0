#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <memory>

#include "common/rpc/channel.h"

namespace trellis::rpc {

// What a Channel is made of, for files that speak gRPC: call.cc, and stubs of generated services.
struct Channel::Rep {
  explicit Rep(std::shared_ptr<grpc::Channel> made) : channel(std::move(made)), stub(channel) {}
  std::shared_ptr<grpc::Channel> channel;
  mutable grpc::GenericStub stub;  // its calls are thread-safe but not declared const
};

}  // namespace trellis::rpc
