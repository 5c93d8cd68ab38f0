#include "broker/dispatch/dispatcher.h"

#include <algorithm>
#include <deque>

#include "broker/dispatch/attempt.h"
#include "broker/dispatch/attempt_sender.h"
#include "common/telemetry/metrics.h"
#include "common/wire/plan_codec.h"

namespace trellis::broker {
namespace {

using Clock = std::chrono::steady_clock;
using Token = AttemptLedger::Token;

// A server that misses a segment may be ahead of the catalog: how long its news may be on the way.
constexpr std::chrono::milliseconds kNewsWait{200};
constexpr std::chrono::milliseconds kNewsPoll{10};
// When the last server that could take over is itself away: how long it may take to be back, for it
// may just be restarting.
constexpr std::chrono::milliseconds kReturnWait{1'000};

constexpr int kHedgeTimePart = 3;

int64_t Micros(Clock::duration elapsed) {
  return std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
}

// One dispatch, from the first request to the last answer.
class Dispatching {
 public:
  Dispatching(const DispatchRequest& request, const std::function<Status(Block)>& take)
      : request_(request), take_(take), inbox_(std::make_shared<Inbox>()) {
    if (request.encoding) forced_ = wire::ParseSegmentListEncoding(*request.encoding);
    if (request.hedge && request.hedge_delay) {
      // A query of little time is hedged while there is time left for the hedge to answer.
      const auto time =
          std::chrono::duration_cast<std::chrono::microseconds>(request.deadline - Clock::now());
      hedge_after_ = std::min(request.hedge_delay->Delay(), time / kHedgeTimePart);
    }
  }

  Result<DispatchOutcome> Run(CancelToken& cancel) {
    TRELLIS_RETURN_IF_ERROR(EncodeStage());
    cancel.OnCancel([inbox = inbox_] { inbox->Stop(); });
    const Route& route = *request_.route;
    for (const RoutedShare& share : route.shares) {
      const ServerEntry& server = route.snapshot->servers[share.part->server];
      const size_t index = ServerIndex(server.target);
      Attempt attempt;
      attempt.server = index;
      attempt.replica.table = route.table;
      attempt.replica.share = share;
      const Token token = ledger_.Route(static_cast<uint32_t>(index), share.ids);
      Start(token, std::move(attempt), server);
    }
    first_attempts_ = attempts_.size();
    Status status = Collect();
    if (status.ok()) status = Finish();
    cancel.OnCancel(nullptr);
    for (Arrival& arrival : inbox_->Close()) KeepCall(arrival);
    for (const Attempt& attempt : attempts_) {
      if (attempt.call) attempt.call->TryCancel();
    }
    TRELLIS_RETURN_IF_ERROR(status);
    return std::move(outcome_);
  }

 private:
  Status EncodeStage() {
    std::string bytes = wire::EncodeLeafStage(*request_.stage);
    if (bytes.size() > wire::kMessageLimits.stage_bytes_max) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("the query's stage is {} bytes, at most {} can be sent",
                                bytes.size(), wire::kMessageLimits.stage_bytes_max),
                    PinotCode::kQueryValidation);
    }
    stage_ = wire::SharedBytes::Own(std::move(bytes));
    return Status::Ok();
  }

  size_t ServerIndex(const std::string& target) {
    for (size_t i = 0; i < outcome_.servers.size(); ++i) {
      if (outcome_.servers[i].target == target) return i;
    }
    ServerAnswer& answer = outcome_.servers.emplace_back();
    answer.target = target;
    answer.cache_hit = true;
    failed_.emplace_back();
    return outcome_.servers.size() - 1;
  }

  void Start(Token token, Attempt attempt, const ServerEntry& server) {
    AttemptJob job;
    job.token = token;
    job.target = server.target;
    job.channel = request_.channel(server.target);
    job.table = attempt.replica.table;
    job.share = attempt.replica.share;
    job.encoding = ChooseEncoding(server, *attempt.replica.share.part, forced_, attempt.by_names);
    job.request.query_id = request_.query_id;
    job.request.stage = stage_;
    job.reads_list_chunks = server.reads_list_chunks;
    job.list_chunk_bytes = std::max<size_t>(request_.list_chunk_bytes, 1);
    job.deadline = request_.deadline;
    job.inbox = inbox_;
    ServerAnswer& answer = outcome_.servers[attempt.server];
    answer.encoding = wire::SegmentListEncodingName(job.encoding);
    ++answer.attempts;
    attempts_.resize(std::max<size_t>(attempts_.size(), token));
    attempts_[token - 1] = std::move(attempt);
    if (request_.hedge_delay) request_.hedge_delay->Started();
    const bool alone = request_.route->shares.size() == 1;
    if (request_.encode_pool && !alone && !IsCheapToEncode(job.share, job.encoding)) {
      auto shared = std::make_shared<AttemptJob>(std::move(job));
      if (request_.encode_pool->Submit([shared] { SendAttempt(std::move(*shared)); })) return;
      CountMetric("trellis_broker_encode_pool_full_total",
                  "Segment lists encoded on their query's thread because too many were waiting");
      job = std::move(*shared);
    }
    SendAttempt(std::move(job));
  }

  Status Collect() {
    TRELLIS_RETURN_IF_ERROR(Follow());
    while (!ledger_.finished()) {
      std::deque<Arrival> arrivals = inbox_->Take(NextWake());
      const Clock::time_point now = Clock::now();
      if (inbox_->stopped() || now >= request_.deadline) {
        for (Arrival& arrival : arrivals) KeepCall(arrival);
        outcome_.cancelled = inbox_->stopped();
        outcome_.timed_out = !outcome_.cancelled;
        return Status::Ok();
      }
      for (Arrival& arrival : arrivals) {
        TRELLIS_RETURN_IF_ERROR(Handle(arrival));
        TRELLIS_RETURN_IF_ERROR(Follow());
      }
      HedgeSlow(now);
      LookForNews(now);
      TRELLIS_RETURN_IF_ERROR(Follow());
    }
    return Status::Ok();
  }

  Clock::time_point NextWake() const {
    Clock::time_point wake = request_.deadline;
    if (!waiting_.empty()) wake = std::min(wake, Clock::now() + kNewsPoll);
    if (!hedge_after_) return wake;
    for (Token token = 1; token <= attempts_.size(); ++token) {
      const Attempt& attempt = attempts_[token - 1];
      if (attempt.may_hedge && attempt.sent_at && ledger_.running(token))
        wake = std::min(wake, *attempt.sent_at + *hedge_after_);
    }
    return wake;
  }

  // True when that is all there is to it.
  bool KeepCall(Arrival& arrival) {
    auto* call = std::get_if<std::shared_ptr<rpc::StreamCall>>(&arrival.what);
    if (call == nullptr) return false;
    attempts_[arrival.attempt - 1].call = std::move(*call);
    return true;
  }

  Status Handle(Arrival& arrival) {
    if (KeepCall(arrival)) {
      if (!ledger_.running(arrival.attempt)) attempts_[arrival.attempt - 1].call->TryCancel();
      return Status::Ok();
    }
    if (auto* sent = std::get_if<AttemptSent>(&arrival.what)) {
      HandleSent(arrival.attempt, *sent);
      return Status::Ok();
    }
    if (!ledger_.running(arrival.attempt)) return Status::Ok();
    if (auto* end = std::get_if<Status>(&arrival.what)) {
      // A stream that ends before its last message did not answer.
      Fail(arrival.attempt,
           end->ok() ? Status(StatusCode::kUnavailable, "the answer was cut short",
                              PinotCode::kServerNotResponding)
                     : end->WithPinotCode(PinotCode::kServerNotResponding),
           false);
      return Status::Ok();
    }
    return HandleMessage(arrival.attempt, std::get<wire::SharedBytes>(arrival.what));
  }

  void HandleSent(Token token, AttemptSent& sent) {
    Attempt& attempt = attempts_[token - 1];
    ServerAnswer& answer = outcome_.servers[attempt.server];
    const int64_t sent_at_us = Micros(sent.sent_at - ready_);
    answer.encode_us += sent.encode_us;
    answer.wire_bytes += static_cast<int64_t>(sent.wire_bytes);
    answer.names_sent += sent.list.names;
    answer.cache_hit = answer.cache_hit && sent.list.cache_hit;
    if (answer.sent_at_us == 0) {
      answer.encoded_at_us = Micros(sent.encoded_at - ready_);
      answer.sent_at_us = std::max<int64_t>(sent_at_us, 1);
    }
    if (token <= first_attempts_) {
      outcome_.handed_over_us = std::max(outcome_.handed_over_us, sent_at_us);
      if (++handed_over_ == first_attempts_ && request_.handed_over) request_.handed_over();
    }
    if (!sent.status.ok()) {
      Fail(token, sent.status.WithPinotCode(PinotCode::kBrokerRequestSend), true);
      return;
    }
    attempt.sent_at = sent.sent_at;
  }

  Status HandleMessage(Token token, const wire::SharedBytes& bytes) {
    Attempt& attempt = attempts_[token - 1];
    ServerAnswer& answer = outcome_.servers[attempt.server];
    attempt.received_bytes += bytes.size_bytes();
    received_bytes_ += bytes.size_bytes();
    if (received_bytes_ > request_.result_bytes_max) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("the servers' answers are over {} bytes (result-bytes-max)",
                                request_.result_bytes_max),
                    PinotCode::kServerResourceLimit);
    }
    auto message = wire::DecodeLeafMessage(bytes);
    if (!message.ok()) {
      Fail(token, message.status().WithPinotCode(PinotCode::kMergeResponse), false);
      return Status::Ok();
    }
    answer.responded = true;
    if (auto* accepted = std::get_if<wire::LeafAccepted>(&*message)) {
      HandleAccepted(token, *accepted);
    } else if (auto* block = std::get_if<Block>(&*message)) {
      attempt.blocks.push_back(std::move(*block));
    } else {
      HandleDone(token, std::get<wire::LeafDone>(*message));
    }
    return Status::Ok();
  }

  void HandleAccepted(Token token, wire::LeafAccepted& accepted) {
    Attempt& attempt = attempts_[token - 1];
    if (accepted.stale) {
      ++outcome_.stale_lists;
      if (attempt.by_names) {
        return Fail(token,
                    Status(StatusCode::kFailedPrecondition, "calls a list of names out of date",
                           PinotCode::kServerNotResponding),
                    false);
      }
      Attempt again;
      again.server = attempt.server;
      again.replica = attempt.replica;
      again.by_names = true;
      again.is_hedge = attempt.is_hedge;
      attempt.failed = true;
      const ServerEntry server = EntryOf(attempt);
      ++outcome_.retries;
      Start(ledger_.Resend(token), std::move(again), server);
      return;
    }
    const Roaring missing = MissingOf(attempt, accepted);
    std::vector<wire::BrokenSegment>& broken = outcome_.servers[attempt.server].broken;
    std::move(accepted.broken.begin(), accepted.broken.end(), std::back_inserter(broken));
    if (missing.isEmpty()) return;
    missing_ |= missing;
    // A damaged segment is where the catalog says; no news will find another one.
    if (missing.cardinality() > accepted.broken.size()) news_until_ = Clock::now() + kNewsWait;
    return_until_ = Clock::now() + kReturnWait;
    ledger_.Missing(token, missing);
  }

  // What the broker knows of the attempt's server, from the catalog that it was routed by.
  ServerEntry EntryOf(const Attempt& attempt) const {
    const std::string& target = outcome_.servers[attempt.server].target;
    for (const auto& snapshot : {Newest(), request_.route->snapshot}) {
      for (const ServerEntry& server : snapshot->servers) {
        if (server.target == target) return server;
      }
    }
    ServerEntry unknown;
    unknown.target = target;
    return unknown;
  }

  void HandleDone(Token token, wire::LeafDone& done) {
    Attempt& attempt = attempts_[token - 1];
    outcome_.servers[attempt.server].decode_us += done.statistics.decode_us;
    if (!done.status.ok()) {
      Fail(token, done.status.WithPinotCode(PinotCode::kQueryExecution),
           IsFaultOfQuery(done.status));
      return;
    }
    attempt.statistics = std::move(done.statistics);
    ObserveTime(attempt);
    ledger_.Done(token);
  }

  void ObserveTime(const Attempt& attempt) {
    if (!request_.hedge_delay || !attempt.sent_at) return;
    request_.hedge_delay->Observe(
        outcome_.servers[attempt.server].target,
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - *attempt.sent_at));
  }

  void Fail(Token token, Status status, bool hopeless) {
    if (!ledger_.running(token)) return;
    const size_t server = attempts_[token - 1].server;
    attempts_[token - 1].failed = true;
    outcome_.servers[server].status = std::move(status);
    failed_[server] |= ledger_.IdsOf(token);
    return_until_ = Clock::now() + kReturnWait;
    ledger_.Failed(token, hopeless);
  }

  // Does what the ledger asks for, until it asks for nothing.
  Status Follow() {
    while (true) {
      AttemptLedger::Steps steps = ledger_.TakeSteps();
      if (steps.accepted.empty() && steps.dropped.empty() && steps.wanted.empty())
        return Status::Ok();
      for (const Token token : steps.dropped) Forget(attempts_[token - 1]);
      for (const Token token : steps.accepted)
        TRELLIS_RETURN_IF_ERROR(Accept(attempts_[token - 1]));
      for (const AttemptLedger::Want& want : steps.wanted) Seek(want, Clock::now());
    }
  }

  void Forget(Attempt& attempt) {
    if (attempt.call) attempt.call->TryCancel();
    if (!attempt.failed) ObserveTime(attempt);  // it would have taken longer still
    attempt.blocks.clear();
    received_bytes_ -= attempt.received_bytes;
    attempt.received_bytes = 0;
  }

  Status Accept(Attempt& attempt) {
    outcome_.servers[attempt.server].statistics += attempt.statistics;
    if (attempt.is_hedge) ++outcome_.hedges_won;
    for (Block& block : attempt.blocks) TRELLIS_RETURN_IF_ERROR(take_(std::move(block)));
    attempt.blocks.clear();
    return Status::Ok();
  }

  std::shared_ptr<const CatalogSnapshot> Newest() const {
    return request_.newest ? request_.newest() : request_.route->snapshot;
  }

  std::vector<std::string> TargetsOf(const std::vector<uint32_t>& servers) const {
    std::vector<std::string> targets;
    for (const uint32_t server : servers) targets.push_back(outcome_.servers[server].target);
    return targets;
  }

  // Finds servers for what is wanted; what is missing, or held by a server that is away, waits a
  // little for news of the catalog.
  void Seek(const AttemptLedger::Want& want, Clock::time_point now) {
    if (!ledger_.wanted(want.number)) return;
    if (!request_.retry) {
      ledger_.Supply(want.number, {}, want.ids, {});
      return;
    }
    const Replicas found = FindReplicas(*request_.route, Newest(), want.ids, TargetsOf(want.tried));
    const Roaring gone = want.missing ? found.gone : Roaring();
    Roaring hopeless = found.rest - gone;
    if (request_.newest && want.missing && now < news_until_) hopeless = {};
    if (request_.newest && now < return_until_) hopeless -= found.away;
    if (found.shares.empty() && gone.isEmpty() && hopeless.isEmpty()) {
      waiting_.push_back(want);
      return;
    }
    const std::vector<AttemptLedger::Share> shares = LedgerShares(found);
    const std::vector<Token> tokens = ledger_.Supply(want.number, shares, hopeless, gone);
    outcome_.retries += static_cast<int32_t>(shares.size());
    StartAll(found, tokens, false);
  }

  std::vector<AttemptLedger::Share> LedgerShares(const Replicas& found) {
    std::vector<AttemptLedger::Share> shares;
    for (const ReplicaShare& replica : found.shares) {
      const ServerEntry& server = found.snapshot->servers[replica.share.part->server];
      shares.push_back({static_cast<uint32_t>(ServerIndex(server.target)), replica.routed});
    }
    return shares;
  }

  void StartAll(const Replicas& found, const std::vector<Token>& tokens, bool is_hedge) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] == 0) continue;
      const ServerEntry& server = found.snapshot->servers[found.shares[i].share.part->server];
      Attempt attempt;
      attempt.server = ServerIndex(server.target);
      attempt.replica = found.shares[i];
      attempt.is_hedge = is_hedge;
      Start(tokens[i], std::move(attempt), server);
    }
  }

  void LookForNews(Clock::time_point now) {
    for (const AttemptLedger::Want& want : std::exchange(waiting_, {})) Seek(want, now);
  }

  void HedgeSlow(Clock::time_point now) {
    if (!hedge_after_) return;
    for (Token token = 1; token <= attempts_.size(); ++token) {
      Attempt& attempt = attempts_[token - 1];
      if (!attempt.may_hedge || !attempt.sent_at || now < *attempt.sent_at + *hedge_after_ ||
          !ledger_.running(token))
        continue;
      attempt.may_hedge = false;
      if (!ledger_.MayHedge(token)) continue;
      const Replicas found = FindReplicas(*request_.route, Newest(), ledger_.IdsOf(token),
                                          TargetsOf(ledger_.TriedFor(token)));
      if (!found.rest.isEmpty() || !request_.hedge_delay->Take()) continue;
      const std::vector<AttemptLedger::Share> shares = LedgerShares(found);
      ++outcome_.hedges;
      StartAll(found, ledger_.Hedge(token, shares), true);
    }
  }

  // Segments count once a server, however often they are asked for; most servers are asked once.
  void CountSegments() {
    std::vector<Roaring> asked(outcome_.servers.size());
    for (const Attempt& attempt : attempts_) {
      if (!attempt.replica.table) continue;  // it was never started
      ServerAnswer& answer = outcome_.servers[attempt.server];
      if (answer.attempts == 1) {
        answer.segments = static_cast<int64_t>(attempt.replica.share.count);
        continue;
      }
      const ReplicaShare& replica = attempt.replica;
      asked[attempt.server] |= replica.routed.isEmpty() ? *replica.share.ids : replica.routed;
      answer.segments = static_cast<int64_t>(asked[attempt.server].cardinality());
    }
  }

  // Decides what is undecided, and says whose fault the rest is.
  Status Finish() {
    const Status late =
        outcome_.cancelled
            ? Status(StatusCode::kCancelled, "query cancelled", PinotCode::kQueryCancelled)
            : Status(StatusCode::kDeadlineExceeded, "no answer within the query's time",
                     PinotCode::kServerNotResponding);
    for (Token token = 1; token <= attempts_.size(); ++token) {
      if (!ledger_.running(token)) continue;
      const size_t server = attempts_[token - 1].server;
      outcome_.servers[server].status = late;
      failed_[server] |= ledger_.IdsOf(token);
    }
    AttemptLedger::Settlement settled = ledger_.Settle();
    TRELLIS_RETURN_IF_ERROR(Follow());
    CountSegments();
    outcome_.uncovered = std::move(settled.uncovered);
    outcome_.dropped = std::move(settled.dropped);
    outcome_.missing = missing_ & outcome_.uncovered;
    for (size_t i = 0; i < outcome_.servers.size(); ++i) {
      ServerAnswer& answer = outcome_.servers[i];
      if (!answer.status.ok() && !failed_[i].intersect(outcome_.uncovered)) answer.status = {};
      if (answer.attempts > 0 && answer.sent_at_us == 0) answer.cache_hit = false;
    }
    return Status::Ok();
  }

  const Clock::time_point ready_ = Clock::now();
  const DispatchRequest& request_;
  const std::function<Status(Block)>& take_;
  std::shared_ptr<Inbox> inbox_;
  std::optional<wire::SegmentListEncoding> forced_;
  std::optional<std::chrono::microseconds> hedge_after_;
  wire::SharedBytes stage_;
  AttemptLedger ledger_;
  DispatchOutcome outcome_;
  std::deque<Attempt> attempts_;  // by token - 1
  size_t first_attempts_ = 0;
  size_t handed_over_ = 0;       // of these
  std::vector<Roaring> failed_;  // by server: what attempts that failed were to cover
  Roaring missing_;
  std::vector<AttemptLedger::Want> waiting_;  // for news of the catalog
  Clock::time_point news_until_;
  Clock::time_point return_until_;
  size_t received_bytes_ = 0;
};

}  // namespace

Result<DispatchOutcome> Dispatch(const DispatchRequest& request, CancelToken& cancel,
                                 const std::function<Status(Block)>& take) {
  return Dispatching(request, take).Run(cancel);
}

}  // namespace trellis::broker
