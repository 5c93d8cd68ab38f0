#include "common/rpc/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "common/rpc/callback_threads.h"
#include "common/rpc/channel_rep.h"
#include "common/wire/message_limits.h"

namespace trellis::rpc {
namespace {

// HTTP/2 settings under which a 1 MiB message moves twice as fast as under gRPC's defaults.
constexpr int kHttp2FrameBytesMax = 1 << 20;
constexpr int kHttp2LookaheadBytes = 1 << 20;
// A restarted server should be found again soon: gRPC's own back-off grows to two minutes.
constexpr int kReconnectMsMin = 100;
constexpr int kReconnectMsMax = 500;
// How long a connection may take to come about, which gRPC calls its least back-off. A machine that
// is busy, or far away, takes more than a tenth of a second.
constexpr int kConnectMsMax = 1'000;

// A peer that is stopped keeps its connection but answers no ping: it is given up after these, so
// that queries go to its replicas instead of waiting for their deadline.
constexpr int kPingMs = 2'000;
constexpr int kPingTimeoutMs = 2'000;

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  const int message_bytes_max = static_cast<int>(wire::kMessageLimits.message_bytes_max);
  arguments.SetMaxReceiveMessageSize(message_bytes_max);
  arguments.SetMaxSendMessageSize(message_bytes_max);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kHttp2FrameBytesMax);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kHttp2LookaheadBytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMsMin);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectMsMax);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kReconnectMsMax);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // no limit
  return arguments;
}

}  // namespace

Channel::Channel(std::string target)
    : target_(std::move(target)),
      rep_(std::make_unique<Rep>(
          grpc::CreateCustomChannel(target_, grpc::InsecureChannelCredentials(), Arguments()))) {}

Channel::~Channel() = default;

std::shared_ptr<Channel> Channel::Create(std::string target) {
  KeepCallbackThreads();
  return std::shared_ptr<Channel>(new Channel(std::move(target)));
}

Status Channel::WaitConnected(std::chrono::milliseconds timeout) const {
  if (rep_->channel->WaitForConnected(std::chrono::system_clock::now() + timeout))
    return Status::Ok();
  return Status::Unavailable("no connection to {} within {} ms", target_, timeout.count());
}

}  // namespace trellis::rpc
