#pragma once

#include <grpcpp/support/byte_buffer.h>

#include "common/wire/shared_bytes.h"

namespace trellis::rpc {

// A message made of the slices' own memory; their owners live until gRPC has sent it. Slices below
// 512 bytes are copied, which is cheaper than a reference.
grpc::ByteBuffer ToByteBuffer(const wire::Slices& slices);
inline grpc::ByteBuffer ToByteBuffer(std::string message) {
  return ToByteBuffer(wire::Slices{wire::SharedBytes::Own(std::move(message))});
}

// The message's bytes in one piece. A received message of one slice is shared; one of many (gRPC
// receives some 64 KiB a slice) is joined, which is the one copy on the receiving side. Errors:
// Internal when the buffer is not valid.
Result<wire::SharedBytes> FromByteBuffer(const grpc::ByteBuffer& buffer);

}  // namespace trellis::rpc
