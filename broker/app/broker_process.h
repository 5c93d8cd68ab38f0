#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace trellis::broker {

struct BrokerOptions {
  std::string host = "0.0.0.0";
  int64_t http_port = 8099;
  int64_t grpc_port = 8010;
  std::vector<std::string> servers;
  int64_t query_threads = 32;
  int64_t queries_waiting_max = 1'000;
  int64_t timeout_ms = 10'000;
  int64_t drain_ms = 10'000;
  int64_t wait_for_servers_ms = 5'000;
  int64_t http_threads = 2;
  std::string segment_list_encoding =
      "auto";  // or known, packed, names, legacy_json for every server
  bool hedge = true;
  int64_t hedge_delay_ms_min = 20;
  int64_t list_chunk_bytes = int64_t{1} << 20;
};

// A broker with both doors open. Start binds the ports; the destructor closes them without a drain.
class BrokerProcess {
 public:
  // Errors: InvalidArgument without servers; Unavailable naming a port that cannot be bound.
  static Result<std::unique_ptr<BrokerProcess>> Start(const BrokerOptions& options);
  virtual ~BrokerProcess() = default;
  virtual int http_port() const = 0;
  virtual int grpc_port() const = 0;
  // Stops accepting, lets running queries finish within drain_ms, cancels the rest.
  virtual void Drain() = 0;
};

}  // namespace trellis::broker
