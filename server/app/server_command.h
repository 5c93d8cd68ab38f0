#pragma once

#include "common/config/options.h"
#include "server/app/server_process.h"

namespace trellis::server {

// Declares the options that say what a server holds and how it runs; doors are declared by the
// caller.
void AddServerOptions(config::OptionSet& set, ServerOptions& options);

// `trellis-server`: reads options, runs until SIGTERM or SIGINT, drains. Returns the exit code.
int RunServer(int argc, const char* const* argv);

}  // namespace trellis::server
