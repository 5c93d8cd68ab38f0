#include "common/rpc/status_conversion.h"

#include <charconv>
#include <string>
#include <string_view>

namespace trellis::rpc {
namespace {

constexpr size_t kMessageBytesMax = 2048;
constexpr std::string_view kPinotPrefix = "[pinot ";
constexpr std::string_view kPinotSuffix = "] ";
constexpr std::string_view kCutMark = "...";

// Cuts at a character's start, so that the message stays UTF-8.
std::string Cut(std::string message) {
  if (message.size() <= kMessageBytesMax) return message;
  size_t size_bytes = kMessageBytesMax - kCutMark.size();
  while (size_bytes > 0 && (static_cast<unsigned char>(message[size_bytes]) & 0xc0) == 0x80)
    --size_bytes;
  message.resize(size_bytes);
  return message.append(kCutMark);
}

}  // namespace

grpc::Status ToGrpcStatus(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  std::string message;
  if (status.pinot_code() != PinotCode::kNone) {
    message =
        fmt::format("{}{}{}", kPinotPrefix, static_cast<int>(status.pinot_code()), kPinotSuffix);
  }
  message += status.message();
  return {static_cast<grpc::StatusCode>(status.code()), Cut(std::move(message))};
}

Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return Status::Ok();
  const int number = status.error_code();
  // gRPC has one number more than we do: 16, UNAUTHENTICATED.
  StatusCode code = StatusCode::kUnknown;
  if (number > 0 && number <= static_cast<int>(StatusCode::kDataLoss))
    code = static_cast<StatusCode>(number);
  if (number == grpc::StatusCode::UNAUTHENTICATED) code = StatusCode::kPermissionDenied;
  const std::string text = status.error_message();  // gRPC returns a copy
  std::string_view message = text;
  int pinot = 0;
  if (message.substr(0, kPinotPrefix.size()) == kPinotPrefix) {
    const char* const begin = message.data() + kPinotPrefix.size();
    const char* const end = message.data() + message.size();
    const auto [stop, fault] = std::from_chars(begin, end, pinot);
    const std::string_view rest(stop, static_cast<size_t>(end - stop));
    if (fault == std::errc() && rest.substr(0, kPinotSuffix.size()) == kPinotSuffix) {
      message = rest.substr(kPinotSuffix.size());
    } else {
      pinot = 0;
    }
  }
  return {code, std::string(message), static_cast<PinotCode>(pinot)};
}

}  // namespace trellis::rpc
