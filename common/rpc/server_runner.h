#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace grpc {
class Service;
}

namespace trellis::rpc {

struct ServerOptions {
  std::string host = "0.0.0.0";
  int port = 0;  // 0 = any free one
};

// A running gRPC server with the shared message limits, grpc.health.v1 and reflection. Plaintext.
class ServerRunner {
 public:
  // Services must outlive the runner. Starts NOT_SERVING: call SetServing(true) once ready.
  // Errors: Unavailable naming the address when it cannot be bound (a port in use is refused, not
  // shared); InvalidArgument for a port outside 0..65535.
  static Result<std::unique_ptr<ServerRunner>> Start(const ServerOptions& options,
                                                     const std::vector<grpc::Service*>& services);
  ~ServerRunner();  // Shutdown with no time to drain, if it has not been called

  int port() const { return port_; }
  // "host:port" as bound.
  std::string address() const;
  // The health service's answer for the whole server.
  void SetServing(bool serving);
  // Stops accepting, lets running calls finish for `drain`, cancels the rest and returns when all
  // ended. Idempotent; not for gRPC threads.
  void Shutdown(std::chrono::milliseconds drain);

 private:
  struct Rep;
  explicit ServerRunner(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
  std::string host_;
  int port_ = 0;
};

}  // namespace trellis::rpc
