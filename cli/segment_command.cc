#include "cli/segment_command.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>

#include "cli/segment/segment_build.h"
#include "cli/segment/segment_commands.h"
#include "cli/segment/segment_verify.h"
#include "common/config/options.h"
#include "common/telemetry/log.h"

namespace trellis::cli {
namespace {

constexpr char kUsage[] =
    "usage: trellis segment dump DIR [--columns a,b]   one JSON object a row\n"
    "       trellis segment inspect DIR [--json]       what the segment holds and how\n"
    "       trellis segment verify DIR... [--json] [--quiet]   reads everything; a line a fault\n"
    "       trellis segment build --schema FILE --input ROWS --output DIR --name NAME   makes "
    "one\n";

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

int RunBuild(int argc, const char* const* argv) {
  BuildRequest request;
  config::OptionSet set("trellis segment build",
                        "Builds a segment that Pinot loads out of rows (docs/build.md).", "0.1.0");
  set.Add(&request.schema, "schema", "Pinot's schema, a JSON file");
  set.Add(&request.table, "table",
          "Pinot's table config, a JSON file; without it Pinot's defaults");
  set.Add(&request.inputs, "input", "files of rows, packed by gzip or not; - is standard input");
  set.Add(&request.format, "format", "json (an object a line) or csv; default by a file's ending");
  set.Add(&request.output, "output", "folder in which the segment shall stand");
  set.Add(&request.name, "name", "the segment's name");
  set.Add(&request.table_name, "table-name", "default the table config's, else the schema's");
  set.Add(&request.on_error, "on-error", "a row that does not fit the schema: fail or skip");
  set.Add(&request.overwrite, "overwrite", "replace what stands at the segment's place");
  set.Add(&request.archive, "archive", "write NAME.tar.gz instead of a folder");
  set.Add(&request.threads, "threads", "threads that write indexes, 0: one a core", {0, 1024});
  set.Add(&request.csv_delimiter, "csv-delimiter",
          "between fields: one character, or tab; default a comma, in a .tsv file a tab");
  set.Add(&request.csv_multi_value_delimiter, "csv-multi-value-delimiter",
          "between the values of a multi-value field");
  if (const auto exit_code = set.ParseOrExitCode(argc, argv)) return *exit_code;
  for (const char* needed : {"schema", "input", "output", "name"}) {
    if (set.IsSet(needed)) continue;
    std::fprintf(stderr, "trellis segment build: --%s is missing\n%s", needed, kUsage);
    return 2;
  }
  StartLogging("segment", "warn");
  try {
    return BuildSegment(request, ::isatty(STDERR_FILENO) == 1, std::cout, std::cerr);
  } catch (const std::bad_alloc&) {
    std::fputs("trellis segment build: not enough memory\n", stderr);
    return 2;
  }
}

}  // namespace

int RunSegment(int argc, const char* const* argv) {
  const std::string_view action = argc > 1 ? argv[1] : "";
  if (action == "build") return RunBuild(argc - 1, argv + 1);
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
