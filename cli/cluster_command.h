#pragma once

namespace trellis::cli {

// `trellis cluster status --broker URL`: the servers a broker knows. Returns the exit code: 1 when
// one of them is not alive.
int RunCluster(int argc, const char* const* argv);

}  // namespace trellis::cli
