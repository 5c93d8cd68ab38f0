#include "broker/app/broker_command.h"

int main(int argc, char** argv) { return trellis::broker::RunBroker(argc, argv); }
