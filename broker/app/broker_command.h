#pragma once

namespace trellis::broker {

// `trellis-broker`: reads options, runs until SIGTERM or SIGINT, drains. Returns the exit code.
int RunBroker(int argc, const char* const* argv);

}  // namespace trellis::broker
