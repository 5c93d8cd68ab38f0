#include "common/rpc/channel.h"

#include <catch2/catch.hpp>

#include "common/rpc/server_runner.h"

namespace trellis::rpc {

using namespace std::chrono_literals;

TEST_CASE("a channel connects to a server that is there and names one that is not") {
  auto server = ServerRunner::Start({"127.0.0.1", 0}, {}).value();
  const auto channel = Channel::Create(server->address());
  CHECK(channel->target() == server->address());
  CHECK(channel->WaitConnected(5s).ok());

  const Status status = Channel::Create("127.0.0.1:1")->WaitConnected(50ms);
  CHECK(status.code() == StatusCode::kUnavailable);
  CHECK(status.message().find("127.0.0.1:1") != std::string::npos);
}

TEST_CASE("a channel finds a server again that was restarted on its port") {
  auto server = ServerRunner::Start({"127.0.0.1", 0}, {}).value();
  const int port = server->port();
  const auto channel = Channel::Create(server->address());
  REQUIRE(channel->WaitConnected(5s).ok());
  server->Shutdown(0ms);
  server = ServerRunner::Start({"127.0.0.1", port}, {}).value();
  CHECK(channel->WaitConnected(5s).ok());
}

}  // namespace trellis::rpc
