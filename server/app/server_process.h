#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace trellis::server {

struct ServerOptions {
  std::string data_dir;
  std::string host = "0.0.0.0";
  int64_t grpc_port = 8090;
  int64_t http_port = 8097;  // -1: no admin door
  int64_t threads = 0;       // 0 = as many as the machine has
  int64_t groups_max = 2'000'000;
  int64_t result_bytes_max = int64_t{1} << 30;
  int64_t stages_running_max = 1'000;
  int64_t drain_ms = 10'000;
  bool follow_links = false;         // symbolic links that lead out of the data directory
  bool verify_on_load = false;       // segments with faults are broken
  bool legacy_padding = false;       // segment::OpenOptions::legacy_padding
  int64_t segment_mappings_max = 0;  // files mapped at a time, 0 = of the system's limit
  int64_t rescan_ms = 2'000;         // pause between two looks at the data directory, 0 = no second
  int64_t delay_answers_ms = 0;      // for testing: before the first answer of each stage
  // What brokers are told that this server reads, best first.
  std::vector<std::string> segment_list_encodings{"known", "packed", "names", "legacy_json"};
};

// A leaf server with its doors open. Start loads the data directory and binds the ports; after that
// the directory is looked at again and again, and what changed is taken over.
class ServerProcess {
 public:
  // Errors: NotFound or InvalidArgument naming the data directory; Unavailable naming a port;
  // InvalidArgument naming a segment list encoding that does not exist.
  static Result<std::unique_ptr<ServerProcess>> Start(const ServerOptions& options);
  virtual ~ServerProcess() = default;
  virtual int grpc_port() const = 0;
  virtual int http_port() const = 0;
  // Tells watchers to leave, lets running stages finish within drain_ms, cancels the rest.
  virtual void Drain() = 0;
};

}  // namespace trellis::server
