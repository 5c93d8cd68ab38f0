#include "server/app/server_process.h"

#include <catch2/catch.hpp>

namespace trellis::server {
namespace {

ServerOptions LoopbackOptions() {
  ServerOptions options;
  options.data_dir = TRELLIS_EXAMPLE_DATA;
  options.host = "127.0.0.1";
  options.grpc_port = 0;
  options.http_port = 0;
  options.threads = 1;
  options.drain_ms = 1'000;
  return options;
}

TEST_CASE("a server opens both doors on free ports and drains") {
  auto server = ServerProcess::Start(LoopbackOptions());
  REQUIRE(server.status().message() == "");
  CHECK((*server)->grpc_port() > 0);
  CHECK((*server)->http_port() > 0);
  CHECK((*server)->grpc_port() != (*server)->http_port());
  (*server)->Drain();
}

TEST_CASE("port -1 leaves the admin door shut") {
  ServerOptions options = LoopbackOptions();
  options.http_port = -1;
  const auto server = ServerProcess::Start(options);
  REQUIRE(server.status().message() == "");
  CHECK((*server)->http_port() == -1);
}

TEST_CASE("a port in use is refused, not shared") {
  const auto first = ServerProcess::Start(LoopbackOptions());
  REQUIRE(first.status().message() == "");
  ServerOptions options = LoopbackOptions();
  options.grpc_port = (*first)->grpc_port();
  const auto second = ServerProcess::Start(options);
  CHECK(second.status().code() == StatusCode::kUnavailable);
  CHECK_THAT(second.status().message(), Catch::Contains(std::to_string(options.grpc_port)));
}

TEST_CASE("a data directory that is not given or not there is refused by name") {
  ServerOptions options = LoopbackOptions();
  options.data_dir.clear();
  CHECK(ServerProcess::Start(options).status().code() == StatusCode::kInvalidArgument);
  options.data_dir = "/nonexistent/data";
  const auto server = ServerProcess::Start(options);
  CHECK(server.status().code() == StatusCode::kNotFound);
  CHECK_THAT(server.status().message(), Catch::Contains("/nonexistent/data"));
}

}  // namespace
}  // namespace trellis::server
