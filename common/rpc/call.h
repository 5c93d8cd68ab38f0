#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/rpc/channel.h"
#include "common/wire/shared_bytes.h"

namespace trellis::rpc {

struct CallOptions {
  std::chrono::milliseconds timeout{10'000};  // the call's deadline counts from its start
  // false: each OnMessage is followed by silence until ReadNext(), so that a slow reader holds the
  // sender back instead of filling memory.
  bool read_automatically = true;
  bool wait_for_ready = false;  // true: a refused connection is retried until the deadline
};

// Receives what a stream brings. Called on gRPC's threads, one call at a time: must not block or
// compute.
class StreamHandler {
 public:
  virtual ~StreamHandler() = default;
  virtual void OnMessage(wire::SharedBytes message) = 0;
  // The last call, exactly once: OK when the server ended the stream well, its status (with Pinot's
  // code) otherwise; Unavailable, DeadlineExceeded or Cancelled when the transport ended it.
  virtual void OnDone(Status status) = 0;
};

// One streaming call: requests go out, messages come back. Works for server-streaming methods (one
// request) and for bidirectional ones whose client says all it has to say at the start. Holding the
// object is optional: the call lives until OnDone. Thread-safe.
class StreamCall {
 public:
  // `method` is "/package.Service/Method". The handler is released after OnDone.
  static std::shared_ptr<StreamCall> Start(const std::shared_ptr<Channel>& channel,
                                           const std::string& method, wire::Slices request,
                                           std::shared_ptr<StreamHandler> handler,
                                           const CallOptions& options) {
    return Start(channel, method, std::vector<wire::Slices>{std::move(request)}, std::move(handler),
                 options);
  }
  // The requests are sent in order, each when the one before has left. REQUIRES: at least one.
  static std::shared_ptr<StreamCall> Start(const std::shared_ptr<Channel>& channel,
                                           const std::string& method,
                                           std::vector<wire::Slices> requests,
                                           std::shared_ptr<StreamHandler> handler,
                                           const CallOptions& options);
  virtual ~StreamCall() = default;
  // Asks gRPC to end the call; OnDone still comes, OnMessage no more. Idempotent.
  virtual void TryCancel() = 0;
  // Asks for one more message, which may come before this returns: call it last in OnMessage, or
  // later from any thread. Without effect when a read is under way. A call that is not read to its
  // end must be cancelled.
  virtual void ReadNext() = 0;
};

// One unary call. `done` is called exactly once, on a gRPC thread; the bytes are empty unless OK.
void CallUnary(const std::shared_ptr<Channel>& channel, const std::string& method,
               wire::Slices request, const CallOptions& options,
               std::function<void(Status, wire::SharedBytes)> done);

}  // namespace trellis::rpc
