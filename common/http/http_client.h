#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "common/http/http_message.h"

namespace trellis::http {

// A small blocking client for command lines and tests: one connection a call. Thread-safe.
class HttpClient {
 public:
  // `url` is http://HOST[:PORT][/PATH]; the path goes in front of every target. The scheme may be
  // left out. Errors: InvalidArgument for anything else (https among it).
  static Result<HttpClient> Create(const std::string& url, std::chrono::milliseconds timeout);

  // Errors: Unavailable when the server cannot be reached or does not speak HTTP; DeadlineExceeded
  // when the whole call takes longer than the time-out; ResourceExhausted for an answer above 1
  // GiB. An HTTP error status is a response, not an error.
  Result<HttpResponse> Get(const std::string& target) const;
  Result<HttpResponse> Post(const std::string& target, const std::string& content_type,
                            const std::string& body) const;

  const std::string& host() const { return host_; }
  uint16_t port() const { return port_; }
  const std::string& path_prefix() const { return path_prefix_; }

 private:
  Result<HttpResponse> Call(const std::string& method, const std::string& target,
                            const std::string& content_type, const std::string& body) const;
  std::string host_;
  uint16_t port_ = 80;
  std::string path_prefix_;
  std::chrono::milliseconds timeout_{0};
};

}  // namespace trellis::http
