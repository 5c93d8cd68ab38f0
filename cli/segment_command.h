#pragma once

namespace trellis::cli {

// `trellis segment dump|inspect|verify|build`: looks into segments, or makes one, without a server.
// Returns the exit code.
int RunSegment(int argc, const char* const* argv);

}  // namespace trellis::cli
