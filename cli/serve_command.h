#pragma once

namespace trellis::cli {

// `trellis serve`: a broker and one server in this process, over a data directory. Returns the exit
// code.
int RunServe(int argc, const char* const* argv);

}  // namespace trellis::cli
