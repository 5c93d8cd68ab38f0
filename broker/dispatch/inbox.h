#pragma once

#include <chrono>
#include <memory>
#include <variant>

#include "broker/dispatch/attempt_ledger.h"
#include "broker/dispatch/list_encoder.h"
#include "common/base/mailbox.h"
#include "common/rpc/call.h"

namespace trellis::broker {

// An attempt's request was encoded and is handed to gRPC now, or why not.
struct AttemptSent {
  using Clock = std::chrono::steady_clock;
  Status status;
  EncodedList list;
  size_t wire_bytes = 0;
  int64_t encode_us = 0;
  Clock::time_point encoded_at;
  Clock::time_point sent_at;
};

// What became of one attempt: AttemptSent first; then, in any order, its call, for whoever wants to
// cancel it, and the messages, with Status as the end of the call after them.
struct Arrival {
  AttemptLedger::Token attempt = 0;
  std::variant<AttemptSent, std::shared_ptr<rpc::StreamCall>, wire::SharedBytes, Status> what;
};

// Filled by gRPC's threads and those that encode, drained by the query's own. What is left when it
// is closed may be calls that are running.
using Inbox = Mailbox<Arrival>;

}  // namespace trellis::broker
