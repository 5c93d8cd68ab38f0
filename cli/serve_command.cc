#include "cli/serve_command.h"

#include <cstdio>

#include "broker/app/broker_process.h"
#include "common/config/options.h"
#include "common/config/stop_signal.h"
#include "common/memory/heap.h"
#include "common/telemetry/log.h"
#include "server/app/server_command.h"

namespace trellis::cli {

int RunServe(int argc, const char* const* argv) {
  BoundHeap();
  server::ServerOptions leaf;
  broker::BrokerOptions front;
  front.host = "127.0.0.1";
  std::string log_level = "warn";
  config::OptionSet set("trellis serve",
                        "Answers SQL over a data directory: broker and server in one process.",
                        "0.1.0");
  server::AddServerOptions(set, leaf);
  set.Add(&front.host, "host", "address to listen on");
  set.Add(&front.http_port, "http-port", "HTTP port, 0 = any free one", config::kPortRange);
  set.Add(&front.grpc_port, "grpc-port", "gRPC port, 0 = any free one", config::kPortRange);
  set.Add(&front.query_threads, "query-threads", "queries that run at a time", {1, 4096});
  set.Add(&front.timeout_ms, "timeout-ms", "milliseconds a query may take unless it says timeoutMs",
          {1, 3'600'000});
  set.Add(&log_level, "log-level", "trace, debug, info, warn, error or off");
  if (const auto exit_code = set.ParseOrExitCode(argc, argv)) return *exit_code;
  if (!StartLogging("serve", log_level)) {
    std::fprintf(stderr, "trellis serve: --log-level: '%s' is not a level\n", log_level.c_str());
    return 2;
  }
  config::StopSignal stop;
  // The server listens on loopback only: nobody but this process's broker asks it.
  leaf.host = "127.0.0.1";
  leaf.grpc_port = 0;
  leaf.http_port = -1;
  auto server = server::ServerProcess::Start(leaf);
  if (!server.ok()) {
    std::fprintf(stderr, "trellis serve: %s\n", server.status().message().c_str());
    return 2;
  }
  front.servers = {"127.0.0.1:" + std::to_string((*server)->grpc_port())};
  front.drain_ms = leaf.drain_ms;
  auto broker = broker::BrokerProcess::Start(front);
  if (!broker.ok()) {
    std::fprintf(stderr, "trellis serve: %s\n", broker.status().message().c_str());
    return 2;
  }
  std::printf("http listening on %s:%d\ngrpc listening on %s:%d\nready\n", front.host.c_str(),
              (*broker)->http_port(), front.host.c_str(), (*broker)->grpc_port());
  std::fflush(stdout);
  stop.Wait();
  (*broker)->Drain();
  broker->reset();  // before the server, which it would report as lost
  (*server)->Drain();
  return 0;
}

}  // namespace trellis::cli
