#include "common/rpc/status_conversion.h"

#include <catch2/catch.hpp>

namespace trellis::rpc {

TEST_CASE("a status crosses gRPC with its code, Pinot's code and its message") {
  for (int code = 1; code <= 15; ++code) {
    for (const PinotCode pinot : {PinotCode::kNone, PinotCode::kUnknownColumn}) {
      const Status status(static_cast<StatusCode>(code), "what went wrong", pinot);
      const Status back = FromGrpcStatus(ToGrpcStatus(status));
      CHECK(back.code() == status.code());
      CHECK(back.pinot_code() == pinot);
      CHECK(back.message() == "what went wrong");
    }
  }
  CHECK(FromGrpcStatus(ToGrpcStatus(Status::Ok())).ok());
}

TEST_CASE("a message that only looks like Pinot's prefix is left alone") {
  for (const char* message :
       {"[pinot ", "[pinot x] y", "[pinot 7", "[pinot 7]y", "[pinot 99999999999] y"}) {
    const Status back = FromGrpcStatus({grpc::StatusCode::INTERNAL, message});
    CHECK(back.message() == message);
    CHECK(back.pinot_code() == PinotCode::kNone);
  }
}

TEST_CASE("a long message is cut at a character and stays far below 8 KiB") {
  std::string message;
  while (message.size() < 10'000) message += "\xc3\xa9";
  const grpc::Status cut = ToGrpcStatus(Status::Internal("{}", message));
  CHECK(cut.error_message().size() <= 2048);
  CHECK(cut.error_message().size() > 2000);
  const std::string tail = cut.error_message().substr(cut.error_message().size() - 5);
  CHECK(tail == "\xc3\xa9...");
}

TEST_CASE("a code that only gRPC has is an error still") {
  CHECK(FromGrpcStatus({grpc::StatusCode::UNAUTHENTICATED, "who"}).code() ==
        StatusCode::kPermissionDenied);
  CHECK(FromGrpcStatus({grpc::StatusCode::DO_NOT_USE, "new"}).code() == StatusCode::kUnknown);
}

}  // namespace trellis::rpc
