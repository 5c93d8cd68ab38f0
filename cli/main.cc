#include <cstdio>
#include <string_view>

#include "cli/cluster_command.h"
#include "cli/query/query_command.h"
#include "cli/segment_command.h"
#include "cli/serve_command.h"

namespace {

constexpr char kUsage[] =
    "usage: trellis serve --data-dir DIR [--http-port P]       answer SQL over a directory of "
    "segments\n"
    "       trellis query --broker URL [--format F] \"SQL\"       ask a broker\n"
    "       trellis segment dump|inspect|verify DIR            look into a segment\n"
    "       trellis cluster status --broker URL                servers and whether they are alive\n"
    "Each has --help.\n";

}  // namespace

int main(int argc, char** argv) {
  using namespace trellis::cli;
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "serve") return RunServe(argc - 1, argv + 1);
  if (command == "query") return RunQueryCommand(argc - 1, argv + 1);
  if (command == "segment") return RunSegment(argc - 1, argv + 1);
  if (command == "cluster") return RunCluster(argc - 1, argv + 1);
  if (command == "--version") {
    std::puts("trellis 0.1.0");
    return 0;
  }
  std::fputs(kUsage, command == "--help" ? stdout : stderr);
  return command == "--help" ? 0 : 2;
}
