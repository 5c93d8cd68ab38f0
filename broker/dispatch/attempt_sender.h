#pragma once

#include "broker/dispatch/inbox.h"
#include "common/wire/leaf_messages.h"

namespace trellis::broker {

// All that sending one attempt needs; stands on its own, so that it may outlive its query.
struct AttemptJob {
  AttemptLedger::Token token = 0;
  std::string target;
  std::shared_ptr<rpc::Channel> channel;  // null is reported as the attempt's failure
  std::shared_ptr<const Table> table;
  RoutedShare share;
  wire::SegmentListEncoding encoding = wire::SegmentListEncoding::kNames;
  wire::LeafRequest request;  // without its list and its timeout
  bool reads_list_chunks = false;
  size_t list_chunk_bytes = 1;  // longer lists go in pieces, to a server that reads them
  std::chrono::steady_clock::time_point deadline;
  std::shared_ptr<Inbox> inbox;
};

// Encodes the list, puts AttemptSent into the inbox and starts the call; later, what the server
// answers goes there. Does nothing when the inbox is closed. Blocks for the encoding only.
void SendAttempt(AttemptJob job);

}  // namespace trellis::broker
