#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "common/http/http_message.h"

namespace trellis::http {

struct HttpLimits {
  uint32_t header_size_bytes_max = 64 * 1024;       // beyond: 431
  uint64_t body_size_bytes_max = 64 * 1024 * 1024;  // beyond: 413
  size_t connections_max = 1024;                    // beyond: 503 and closed
  std::chrono::milliseconds idle_timeout{
      75'000};  // of a kept-alive connection between two requests
  std::chrono::milliseconds request_timeout{
      30'000};  // from a request's first byte to its last; beyond: 408
  std::chrono::milliseconds write_timeout{30'000};  // without any progress of the answer
};

// An HTTP/1.1 server. A connection runs one request at a time; pipelined requests wait their turn
// and are answered in order. Malformed requests are answered 400 and closed. A client that closes
// its side while its request runs gives the request's cancel signal. Answers are never compressed;
// no TLS.
//
// Thread-safe. Metrics: trellis_http_connections, trellis_http_requests_total,
// trellis_http_connections_refused_total.
class HttpServer {
 public:
  // Listens on `host` (address or name) and `port` (0 = pick one) and answers on `io_threads`
  // threads. Errors: Unavailable naming host and port when it cannot be bound (in use, not ours);
  // InvalidArgument for a host that does not resolve.
  static Result<std::unique_ptr<HttpServer>> Start(const std::string& host, uint16_t port,
                                                   int io_threads, const HttpLimits& limits,
                                                   Handler handler);
  // Stops at once: running requests are cancelled, connections cut.
  ~HttpServer();

  uint16_t port() const;
  // Connections open now.
  size_t connections() const;

  // Stops accepting, closes idle connections, lets running requests answer (with `Connection:
  // close`), then cuts what is left at the deadline and ends the io threads. Idempotent. Not from a
  // handler. Errors: DeadlineExceeded with the number of connections that were cut.
  Status Drain(std::chrono::milliseconds deadline);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace trellis::http
