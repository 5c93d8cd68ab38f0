#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "common/base/status.h"

namespace trellis::rpc {

// A connection to one server, made on first use and remade by gRPC after failures. Thread-safe.
class Channel {
 public:
  // `target` is host:port. Plaintext. Message sizes are bounded by wire::kMessageLimits; HTTP/2
  // frames and look-ahead are raised to 1 MiB, which a large answer needs.
  static std::shared_ptr<Channel> Create(std::string target);
  ~Channel();

  const std::string& target() const { return target_; }
  // Connects if needed and waits. Errors: Unavailable naming the target. Blocks: not for gRPC
  // threads.
  Status WaitConnected(std::chrono::milliseconds timeout) const;

  struct Rep;
  const Rep& rep() const { return *rep_; }

 private:
  explicit Channel(std::string target);
  std::string target_;
  std::unique_ptr<Rep> rep_;
};

}  // namespace trellis::rpc
