#include "broker/dispatch/attempt_sender.h"

#include <algorithm>

namespace trellis::broker {
namespace {

using Clock = std::chrono::steady_clock;

// The dispatch ends at its deadline by itself, and cancels what runs: gRPC's is for when it does
// not.
constexpr std::chrono::milliseconds kCallGrace{100};

class AnswerHandler : public rpc::StreamHandler {
 public:
  AnswerHandler(std::shared_ptr<Inbox> inbox, AttemptLedger::Token attempt)
      : inbox_(std::move(inbox)), attempt_(attempt) {}
  void OnMessage(wire::SharedBytes message) override {
    inbox_->Put({attempt_, std::move(message)});
  }
  void OnDone(Status status) override { inbox_->Put({attempt_, std::move(status)}); }

 private:
  std::shared_ptr<Inbox> inbox_;
  AttemptLedger::Token attempt_;
};

// Fills `sent` but for the call.
Result<std::vector<wire::Slices>> Encode(AttemptJob& job, AttemptSent& sent) {
  const Clock::time_point start = Clock::now();
  const size_t list_bytes_max = job.reads_list_chunks ? wire::kMessageLimits.segment_list_bytes_max
                                                      : wire::kMessageLimits.message_bytes_max;
  auto list = EncodeList(*job.table, job.share, job.encoding, list_bytes_max);
  sent.encoded_at = Clock::now();
  sent.encode_us =
      std::chrono::duration_cast<std::chrono::microseconds>(sent.encoded_at - start).count();
  TRELLIS_RETURN_IF_ERROR(list.status());
  sent.list = std::move(*list);
  job.request.attempt = job.token;
  job.request.segments = sent.list.bytes;
  TRELLIS_ASSIGN_OR_RETURN(
      std::vector<wire::Slices> messages,
      wire::EncodeLeafRequest(job.request,
                              job.reads_list_chunks ? job.list_chunk_bytes : SIZE_MAX));
  for (const wire::Slices& message : messages) sent.wire_bytes += wire::TotalBytes(message);
  return messages;
}

}  // namespace

void SendAttempt(AttemptJob job) {
  if (job.inbox->closed()) return;
  AttemptSent sent;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(job.deadline - Clock::now());
  job.request.timeout_ms = std::max<int64_t>(left.count(), 1);
  rpc::CallOptions options;
  options.timeout = std::chrono::milliseconds(job.request.timeout_ms) + kCallGrace;
  auto messages = Encode(job, sent);
  if (!messages.ok()) {
    sent.status = messages.status().WithContext("the request is not sent");
  } else if (!job.channel) {
    sent.status = Status::Internal("no channel to {}", job.target);
  }
  const bool sends = sent.status.ok();
  sent.sent_at = Clock::now();
  if (!job.inbox->Put({job.token, std::move(sent)}) || !sends) return;
  const auto call =
      rpc::StreamCall::Start(job.channel, wire::kLeafExecuteMethod, std::move(*messages),
                             std::make_shared<AnswerHandler>(job.inbox, job.token), options);
  if (!job.inbox->Put({job.token, call})) call->TryCancel();
}

}  // namespace trellis::broker
