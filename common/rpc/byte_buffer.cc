#include "common/rpc/byte_buffer.h"

#include <vector>

#include "common/base/check.h"

namespace trellis::rpc {
namespace {

constexpr size_t kCopySizeBytesMax = 512;

// Hands the bytes to gRPC without a copy; the slice keeps them alive until the write is done. gRPC
// never writes through it: the const_cast is its signature's, and the only one in the house.
grpc::Slice AttachSlice(const wire::SharedBytes& bytes) {
  auto held = std::make_unique<wire::SharedBytes>(bytes);
  const ByteView view = held->view;
  return grpc::Slice(
      const_cast<uint8_t*>(view.data()), view.size(),
      [](void* reference) { delete static_cast<wire::SharedBytes*>(reference); }, held.release());
}

}  // namespace

grpc::ByteBuffer ToByteBuffer(const wire::Slices& slices) {
  std::vector<grpc::Slice> pieces;
  pieces.reserve(slices.size());
  for (const wire::SharedBytes& slice : slices) {
    if (slice.size_bytes() <= kCopySizeBytesMax) {
      pieces.emplace_back(slice.view.data(), slice.size_bytes());
    } else {
      pieces.push_back(AttachSlice(slice));
    }
  }
  return grpc::ByteBuffer(pieces.data(), pieces.size());
}

Result<wire::SharedBytes> FromByteBuffer(const grpc::ByteBuffer& buffer) {
  if (!buffer.Valid()) return Status::Internal("gRPC delivered a message without a buffer");
  auto single = std::make_shared<grpc::Slice>();
  // Fails for a message of many slices, and for one inlined in the buffer's own struct it copies
  // it.
  if (buffer.TrySingleSlice(single.get()).ok()) {
    const ByteView view(single->begin(), single->size());
    return wire::SharedBytes{view, std::move(single)};
  }
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok())
    return Status::Internal("a gRPC message of {} bytes cannot be read", buffer.Length());
  std::string joined;
  joined.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices)
    joined.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return wire::SharedBytes::Own(std::move(joined));
}

}  // namespace trellis::rpc
