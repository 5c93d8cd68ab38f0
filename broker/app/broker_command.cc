#include "broker/app/broker_command.h"

#include <cstdio>

#include "broker/app/broker_process.h"
#include "common/config/options.h"
#include "common/config/stop_signal.h"
#include "common/memory/heap.h"
#include "common/telemetry/log.h"

namespace trellis::broker {

int RunBroker(int argc, const char* const* argv) {
  BoundHeap();
  BrokerOptions options;
  std::string log_level = "info";
  config::OptionSet set("trellis-broker", "Answers SQL over the segments of leaf servers.",
                        "0.1.0");
  set.Add(&options.servers, "server",
          "leaf server, HOST:PORT of its gRPC door; repeatable, or a comma list");
  set.Add(&options.host, "host", "address to listen on");
  set.Add(&options.http_port, "http-port", "HTTP port, 0 = any free one", config::kPortRange);
  set.Add(&options.grpc_port, "grpc-port", "gRPC port, 0 = any free one", config::kPortRange);
  set.Add(&options.query_threads, "query-threads", "queries that run at a time", {1, 4096});
  set.Add(&options.queries_waiting_max, "queries-waiting-max",
          "queries that wait at a time, more are refused", {0, 1'000'000});
  set.Add(&options.timeout_ms, "timeout-ms",
          "milliseconds a query may take unless it says timeoutMs", {1, 3'600'000});
  set.Add(&options.drain_ms, "drain-ms", "milliseconds that running queries get after SIGTERM",
          {0, 3'600'000});
  set.Add(&options.wait_for_servers_ms, "wait-for-servers-ms",
          "milliseconds to wait for servers at start", {0, 3'600'000});
  set.Add(&options.http_threads, "http-threads", "threads of the HTTP door", {1, 256});
  set.Add(&options.segment_list_encoding, "segment-list-encoding",
          "how servers are told their segments: known, packed, names or legacy_json; auto = the "
          "best that each reads");
  set.Add(&options.hedge, "hedge", "ask another replica when a server is slow");
  set.Add(&options.hedge_delay_ms_min, "hedge-delay-ms-min",
          "milliseconds a server gets at least before another replica is asked; usually the p95 of "
          "recent answers, 100 until some were seen",
          {0, 3'600'000});
  set.Add(&options.list_chunk_bytes, "list-chunk-bytes",
          "bytes above which a segment list is sent in pieces", {1, int64_t{32} << 20});
  set.Add(&log_level, "log-level", "trace, debug, info, warn, error or off");
  if (const auto exit_code = set.ParseOrExitCode(argc, argv)) return *exit_code;
  if (!StartLogging("broker", log_level)) {
    std::fprintf(stderr, "trellis-broker: --log-level: '%s' is not a level\n", log_level.c_str());
    return 2;
  }
  config::StopSignal stop;
  auto process = BrokerProcess::Start(options);
  if (!process.ok()) {
    std::fprintf(stderr, "trellis-broker: %s\n", process.status().message().c_str());
    return 2;
  }
  std::printf("http listening on %s:%d\ngrpc listening on %s:%d\nready\n", options.host.c_str(),
              (*process)->http_port(), options.host.c_str(), (*process)->grpc_port());
  std::fflush(stdout);
  stop.Wait();
  spdlog::info("stopping: running queries get {} ms", options.drain_ms);
  (*process)->Drain();
  return 0;
}

}  // namespace trellis::broker
