// verify_segments [--json] SEGMENT...: `trellis segment verify` for verify_test.py, without the
// rest of the command line.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/segment/segment_verify.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  const std::vector<std::string> paths(argv + (json ? 2 : 1), argv + argc);
  return trellis::cli::VerifySegments(paths, {.json = json}, std::cout, std::cerr);
}
