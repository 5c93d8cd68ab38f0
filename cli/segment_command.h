#pragma once

namespace trellis::cli {

// `trellis segment dump|inspect`: looks into one segment without a server. Returns the exit code.
int RunSegment(int argc, const char* const* argv);

}  // namespace trellis::cli
