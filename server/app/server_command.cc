#include "server/app/server_command.h"

#include <cstdio>

#include "common/config/stop_signal.h"
#include "common/memory/heap.h"
#include "common/telemetry/log.h"

namespace trellis::server {

void AddServerOptions(config::OptionSet& set, ServerOptions& options) {
  set.Add(&options.legacy_padding, "legacy-padding",
          "take the '%' off texts that segments of before August 2016 are padded with");
  set.Add(&options.data_dir, "data-dir", "directory of TABLE/SEGMENT folders to serve");
  set.Add(&options.threads, "threads", "threads that run stages, 0 = one a core", {0, 4096});
  set.Add(&options.groups_max, "groups-max", "groups one query may hold on this server",
          {1, 1'000'000'000});
  set.Add(&options.result_bytes_max, "result-bytes-max", "bytes one query may answer with",
          {1, int64_t{1} << 40});
  set.Add(&options.stages_running_max, "stages-running-max",
          "stages that run at a time, more are refused", {1, 1'000'000});
  set.Add(&options.drain_ms, "drain-ms", "milliseconds that running stages get after SIGTERM",
          {0, 3'600'000});
  set.Add(&options.segment_mappings_max, "segment-mappings-max",
          "index files mapped at a time, 0 = three quarters of vm.max_map_count", {0, 1 << 20});
  set.Add(&options.rescan_ms, "rescan-ms",
          "milliseconds between two looks at the data directory, 0 = look once", {0, 86'400'000});
  set.Add(&options.follow_links, "follow-links",
          "also read what symbolic links out of the data directory lead to");
  set.Add(&options.verify_on_load, "verify-on-load",
          "check each segment whole before it is served, refuse one with faults");
}

int RunServer(int argc, const char* const* argv) {
  BoundHeap();
  ServerOptions options;
  std::string log_level = "info";
  config::OptionSet set("trellis-server", "Holds segments and runs leaf stages over them.",
                        "0.1.0");
  AddServerOptions(set, options);
  set.Add(&options.host, "host", "address to listen on");
  set.Add(&options.grpc_port, "grpc-port", "gRPC port, 0 = any free one", config::kPortRange);
  set.Add(&options.http_port, "http-port", "admin HTTP port, 0 = any free one", config::kPortRange);
  set.Add(&options.segment_list_encodings, "segment-list-encodings",
          "segment list encodings to announce, best first: known, packed, names, legacy_json");
  set.Add(&options.delay_answers_ms, "delay-answers-ms",
          "for testing: milliseconds to wait before the first answer of each stage", {0, 600'000});
  set.Add(&log_level, "log-level", "trace, debug, info, warn, error or off");
  if (const auto exit_code = set.ParseOrExitCode(argc, argv)) return *exit_code;
  if (!StartLogging("server", log_level)) {
    std::fprintf(stderr, "trellis-server: --log-level: '%s' is not a level\n", log_level.c_str());
    return 2;
  }
  config::StopSignal stop;
  auto process = ServerProcess::Start(options);
  if (!process.ok()) {
    std::fprintf(stderr, "trellis-server: %s\n", process.status().message().c_str());
    return 2;
  }
  std::printf("http listening on %s:%d\ngrpc listening on %s:%d\nready\n", options.host.c_str(),
              (*process)->http_port(), options.host.c_str(), (*process)->grpc_port());
  std::fflush(stdout);
  stop.Wait();
  spdlog::info("stopping: running stages get {} ms", options.drain_ms);
  (*process)->Drain();
  return 0;
}

}  // namespace trellis::server
