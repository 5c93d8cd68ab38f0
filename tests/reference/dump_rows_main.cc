// dump_rows SEGMENT [COLUMN...]: the rows of a segment as `trellis segment dump` prints them, for
// dump_test.py, without the rest of the command line.
#include <iostream>
#include <string>
#include <vector>

#include "cli/segment/segment_commands.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: dump_rows SEGMENT [COLUMN...]\n";
    return 2;
  }
  std::ios::sync_with_stdio(false);
  const std::vector<std::string> columns(argv + 2, argv + argc);
  const auto exit_code = trellis::cli::DumpSegment(argv[1], columns, std::cout);
  if (exit_code.ok()) return *exit_code;
  std::cerr << exit_code.status().message() << "\n";
  constexpr int kNotImplemented = 3;  // known and not read yet: dump_test.py tells it from a fault
  return exit_code.status().code() == trellis::StatusCode::kUnimplemented ? kNotImplemented : 1;
}
