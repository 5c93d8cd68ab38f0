#include "common/rpc/server_runner.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <mutex>

#include "common/rpc/callback_threads.h"
#include "common/wire/message_limits.h"

namespace trellis::rpc {
namespace {

constexpr int kPortMax = 65'535;
constexpr int kHttp2FrameBytesMax = 1 << 20;
constexpr int kHttp2LookaheadBytes = 1 << 20;

void EnablePluginsOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
}

void Limit(grpc::ServerBuilder& builder) {
  const int message_bytes_max = static_cast<int>(wire::kMessageLimits.message_bytes_max);
  builder.SetMaxReceiveMessageSize(message_bytes_max);
  builder.SetMaxSendMessageSize(message_bytes_max);
  // gRPC shares a port between servers in silence unless told not to.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Clients ping (channel.cc); gRPC's own default takes that for abuse.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 500);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kHttp2FrameBytesMax);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kHttp2LookaheadBytes);
}

// "[::1]:8090" for an IPv6 host.
std::string HostPort(const std::string& host, int port) {
  const bool bare_v6 = host.find(':') != std::string::npos && host.front() != '[';
  return bare_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace

struct ServerRunner::Rep {
  std::unique_ptr<grpc::Server> server;
  std::once_flag shut_down;
};

ServerRunner::ServerRunner(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
ServerRunner::~ServerRunner() { Shutdown(std::chrono::milliseconds(0)); }

Result<std::unique_ptr<ServerRunner>> ServerRunner::Start(
    const ServerOptions& options, const std::vector<grpc::Service*>& services) {
  if (options.port < 0 || options.port > kPortMax) {
    return Status::InvalidArgument("gRPC port {} is outside 0 to {}", options.port, kPortMax);
  }
  EnablePluginsOnce();
  KeepCallbackThreads();
  const std::string wanted = HostPort(options.host, options.port);
  int bound = 0;
  grpc::ServerBuilder builder;
  Limit(builder);
  builder.AddListeningPort(wanted, grpc::InsecureServerCredentials(), &bound);
  for (grpc::Service* service : services) builder.RegisterService(service);
  auto rep = std::make_unique<Rep>();
  rep->server = builder.BuildAndStart();
  if (rep->server == nullptr || bound == 0) {
    return Status::Unavailable(
        "cannot listen for gRPC on {}: the port is in use or the address is not ours", wanted);
  }
  auto runner = std::unique_ptr<ServerRunner>(new ServerRunner(std::move(rep)));
  runner->host_ = options.host;
  runner->port_ = bound;
  runner->SetServing(false);
  return runner;
}

std::string ServerRunner::address() const { return HostPort(host_, port_); }

void ServerRunner::SetServing(bool serving) {
  if (auto* health = rep_->server->GetHealthCheckService()) health->SetServingStatus(serving);
}

void ServerRunner::Shutdown(std::chrono::milliseconds drain) {
  std::call_once(rep_->shut_down, [&] {
    SetServing(false);
    rep_->server->Shutdown(std::chrono::system_clock::now() + drain);
    rep_->server->Wait();
  });
}

}  // namespace trellis::rpc
