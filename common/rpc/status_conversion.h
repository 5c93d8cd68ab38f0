#pragma once

#include <grpcpp/support/status.h>

#include "common/base/status.h"

namespace trellis::rpc {

// A Status over gRPC's trailing metadata (8 KiB in all): the message is cut at 2 KiB, and Pinot's
// code goes in front of it as "[pinot 700] ", where people see it too.
grpc::Status ToGrpcStatus(const Status& status);
Status FromGrpcStatus(const grpc::Status& status);

}  // namespace trellis::rpc
