#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace trellis::wire {

// Bytes with whatever keeps them alive. Copies share. Immutable; safe to read from many threads.
struct SharedBytes {
  ByteView view;
  std::shared_ptr<const void> owner;  // null for static storage

  static SharedBytes Own(std::string bytes) {
    auto held = std::make_shared<const std::string>(std::move(bytes));
    const ByteView view = AsBytes(*held);
    return {view, std::move(held)};
  }
  // REQUIRES: `part` lies in `view`, or in memory that `owner` keeps alive.
  SharedBytes Part(ByteView part) const { return {part, owner}; }
  size_t size_bytes() const { return view.size(); }
};

// One message in pieces, in order. gRPC sends them without joining (rpc/byte_buffer.h).
using Slices = std::vector<SharedBytes>;

inline size_t TotalBytes(const Slices& slices) {
  size_t total = 0;
  for (const SharedBytes& slice : slices) total += slice.size_bytes();
  return total;
}
// Copies the pieces into one string: tests, tools.
inline std::string Join(const Slices& slices) {
  std::string joined;
  joined.reserve(TotalBytes(slices));
  for (const SharedBytes& slice : slices) joined += AsText(slice.view);
  return joined;
}

}  // namespace trellis::wire
