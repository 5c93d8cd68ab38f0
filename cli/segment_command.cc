#include "cli/segment_command.h"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>

#include "cli/segment/segment_commands.h"
#include "cli/segment/segment_verify.h"
#include "common/config/options.h"
#include "common/telemetry/log.h"

namespace trellis::cli {
namespace {

constexpr char kUsage[] =
    "usage: trellis segment dump DIR [--columns a,b]   one JSON object a row\n"
    "       trellis segment inspect DIR [--json]       what the segment holds and how\n"
    "       trellis segment verify DIR... [--json] [--quiet]   reads everything; a line a fault\n";

constexpr size_t kVerifiedMax = 100'000;

int Report(const Result<int>& result, const std::string& path) {
  if (result.ok()) return *result;
  std::fprintf(stderr, "trellis segment: %s\n", result.status().message().c_str());
  // A path that is not there is the caller's mistake; a segment that cannot be read is an answer.
  return std::filesystem::exists(path) ? 1 : 2;
}

Result<int> Act(std::string_view action, const std::string& path,
                const std::vector<std::string>& columns, bool json,
                const segment::OpenOptions& options) {
  if (action == "dump") return DumpSegment(path, columns, std::cout, options);
  return InspectSegment(path, std::cout, json, options);
}

}  // namespace

int RunSegment(int argc, const char* const* argv) {
  const std::string_view action = argc > 1 ? argv[1] : "";
  if (action == "build") {
    std::fprintf(stderr, "trellis segment %s is not built yet\n", argv[1]);
    return 2;
  }
  if (action != "dump" && action != "inspect" && action != "verify") {
    std::fputs(kUsage, action == "--help" ? stdout : stderr);
    return action == "--help" ? 0 : 2;
  }
  std::vector<std::string> paths;
  std::vector<std::string> columns;
  bool json = false;
  config::OptionSet set("trellis segment " + std::string(action), "Looks into one segment.",
                        "0.1.0");
  const size_t count_max = action == "verify" ? kVerifiedMax : 1;
  set.AddPositional(&paths, "DIR", "segment folder, or an archive of one", count_max);
  if (action == "dump") {
    set.Add(&columns, "columns", "columns to write, a comma list; default all");
  } else {
    set.Add(&json, "json", action == "verify" ? "write a JSON object a fault" : "write JSON");
  }
  segment::OpenOptions options;
  if (action != "verify") {
    set.Add(&options.legacy_padding, "legacy-padding",
            "take the '%' off texts that segments of before August 2016 are padded with");
  }
  bool quiet = false;
  if (action == "verify") set.Add(&quiet, "quiet", "write faults only: no notes, no summary");
  if (const auto exit_code = set.ParseOrExitCode(argc - 1, argv + 1)) return *exit_code;
  if (paths.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  StartLogging("segment", "warn");
  std::ios::sync_with_stdio(false);
  try {
    if (action == "verify")
      return VerifySegments(paths, {.json = json, .quiet = quiet}, std::cout, std::cerr);
    return Report(Act(action, paths[0], columns, json, options), paths[0]);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "trellis segment %s: not enough memory for %s\n", argv[1],
                 paths.size() == 1 ? paths[0].c_str() : "these segments");
    return 1;
  }
}

}  // namespace trellis::cli
