#include "server/app/server_command.h"

int main(int argc, char** argv) { return trellis::server::RunServer(argc, argv); }
