#include "common/rpc/server_runner.h"

#include <grpcpp/generic/generic_stub.h>

#include <catch2/catch.hpp>
#include <future>

#include "common/rpc/call.h"

namespace trellis::rpc {
namespace {

using namespace std::chrono_literals;

// grpc.health.v1's answer: the HealthCheckResponse bytes (08 01 = SERVING, 08 02 = NOT_SERVING).
std::string Health(const ServerRunner& server) {
  std::promise<std::string> answer;
  CallUnary(Channel::Create(server.address()), "/grpc.health.v1.Health/Check", {}, {},
            [&](Status status, wire::SharedBytes bytes) {
              answer.set_value(status.ok() ? std::string(AsText(bytes.view)) : status.message());
            });
  return answer.get_future().get();
}

}  // namespace

TEST_CASE("a server picks a free port and reports its health") {
  const auto server = ServerRunner::Start({"127.0.0.1", 0}, {});
  REQUIRE(server.ok());
  CHECK((*server)->port() > 0);
  CHECK((*server)->address() == "127.0.0.1:" + std::to_string((*server)->port()));
  CHECK(Health(**server) == "\x08\x02");
  (*server)->SetServing(true);
  CHECK(Health(**server) == "\x08\x01");
}

TEST_CASE("a port in use is refused with its number") {
  const auto first = ServerRunner::Start({"127.0.0.1", 0}, {});
  REQUIRE(first.ok());
  const int port = (*first)->port();
  const Status second = ServerRunner::Start({"127.0.0.1", port}, {}).status();
  CHECK(second.code() == StatusCode::kUnavailable);
  CHECK(second.message().find("127.0.0.1:" + std::to_string(port)) != std::string::npos);
  CHECK(ServerRunner::Start({"127.0.0.1", 65'536}, {}).status().code() ==
        StatusCode::kInvalidArgument);
}

TEST_CASE("a server that was shut down frees its port and may be shut down again") {
  auto server = ServerRunner::Start({"127.0.0.1", 0}, {});
  REQUIRE(server.ok());
  const int port = (*server)->port();
  (*server)->Shutdown(100ms);
  (*server)->Shutdown(100ms);
  CHECK(ServerRunner::Start({"127.0.0.1", port}, {}).ok());
}

}  // namespace trellis::rpc
