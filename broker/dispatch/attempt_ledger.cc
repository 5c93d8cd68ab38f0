#include "broker/dispatch/attempt_ledger.h"

#include <algorithm>
#include <utility>

namespace trellis::broker {
namespace {

std::shared_ptr<const Roaring> Held(Roaring ids) {
  return std::make_shared<const Roaring>(std::move(ids));
}

}  // namespace

size_t AttemptLedger::AddPiece(std::shared_ptr<const Roaring> ids, size_t parent, bool hedged) {
  pieces_.push_back({std::move(ids), parent, hedged, false, {}});
  if (parent != kNone) alternatives_[parent].pieces.push_back(pieces_.size() - 1);
  return pieces_.size() - 1;
}

size_t AttemptLedger::AddAlternative(size_t piece, std::vector<uint32_t> tried) {
  Alternative alternative;
  alternative.piece = piece;
  alternative.tried = std::move(tried);
  alternatives_.push_back(std::move(alternative));
  ++wanting_;
  pieces_[piece].alternatives.push_back(alternatives_.size() - 1);
  return alternatives_.size() - 1;
}

AttemptLedger::Token AttemptLedger::StartAttempt(size_t alternative, uint32_t server) {
  attempts_.push_back({server, alternative, true});
  Alternative& started = alternatives_[alternative];
  if (started.state == State::kWanting) --wanting_;
  ++running_;
  started.state = State::kRunning;
  started.token = attempts_.size();
  return started.token;
}

AttemptLedger::Token AttemptLedger::Route(uint32_t server, std::shared_ptr<const Roaring> ids) {
  const size_t piece = AddPiece(std::move(ids), kNone, false);
  roots_.push_back(piece);
  return StartAttempt(AddAlternative(piece, {}), server);
}

const AttemptLedger::Attempt* AttemptLedger::Find(Token token) const {
  return token == 0 || token > attempts_.size() ? nullptr : &attempts_[token - 1];
}

AttemptLedger::Attempt* AttemptLedger::Find(Token token) {
  return const_cast<Attempt*>(std::as_const(*this).Find(token));
}

bool AttemptLedger::running(Token token) const {
  const Attempt* attempt = Find(token);
  return attempt != nullptr && attempt->running;
}

bool AttemptLedger::wanted(uint64_t want) const {
  if (want == 0 || want > wants_.size()) return false;
  const Alternative& alternative = alternatives_[wants_[want - 1]];
  return alternative.state == State::kWanting && alternative.want == want;
}

// REQUIRES: the alternative is wanting.
void AttemptLedger::WantElsewhere(size_t index, bool missing) {
  Alternative& alternative = alternatives_[index];
  wants_.push_back(index);
  alternative.want = wants_.size();
  alternative.missing = missing;
  steps_.wanted.push_back(
      {alternative.want, *pieces_[alternative.piece].ids, alternative.tried, missing});
}

void AttemptLedger::Missing(Token token, const Roaring& ids) {
  Attempt* attempt = Find(token);
  if (attempt == nullptr || !attempt->running) return;
  const size_t whole = attempt->alternative;
  const size_t piece = alternatives_[whole].piece;
  Roaring missing = *pieces_[piece].ids & ids;
  if (missing.isEmpty()) return;
  Roaring rest = *pieces_[piece].ids - missing;
  const bool hedged = pieces_[piece].hedged;
  std::vector<uint32_t> tried = alternatives_[whole].tried;
  alternatives_[whole].state = State::kSplit;
  alternatives_[whole].token = 0;
  if (rest.isEmpty()) {
    attempt->running = false;
    --running_;
    steps_.dropped.push_back(token);
  } else {
    const size_t kept = AddAlternative(AddPiece(Held(std::move(rest)), whole, hedged), tried);
    --wanting_;
    alternatives_[kept].state = State::kRunning;
    alternatives_[kept].token = token;
    attempt->alternative = kept;
  }
  tried.push_back(attempt->server);
  WantElsewhere(AddAlternative(AddPiece(Held(std::move(missing)), whole, hedged), std::move(tried)),
                true);
}

void AttemptLedger::Done(Token token) {
  Attempt* attempt = Find(token);
  if (attempt == nullptr || !attempt->running) return;
  attempt->running = false;
  --running_;
  alternatives_[attempt->alternative].state = State::kDone;
  Conclude(attempt->alternative);
}

void AttemptLedger::Failed(Token token, bool hopeless) {
  Attempt* attempt = Find(token);
  if (attempt == nullptr || !attempt->running) return;
  const size_t index = attempt->alternative;
  Piece& piece = pieces_[alternatives_[index].piece];
  if (piece.alternatives.size() > 1) {
    // The other one goes on, and has the failed server behind it already.
    const size_t other = piece.alternatives[piece.alternatives[0] == index ? 1 : 0];
    Keep(piece, other);
    Conclude(other);
    return;
  }
  attempt->running = false;
  --running_;
  ++wanting_;
  steps_.dropped.push_back(token);
  alternatives_[index].state = State::kWanting;
  alternatives_[index].token = 0;
  alternatives_[index].tried.push_back(attempt->server);
  if (hopeless) {
    Assign(index, {}, *piece.ids, {});
    Conclude(index);
  } else {
    WantElsewhere(index, false);
  }
}

AttemptLedger::Token AttemptLedger::Resend(Token token) {
  Attempt* attempt = Find(token);
  if (attempt == nullptr || !attempt->running) return 0;
  attempt->running = false;
  --running_;
  steps_.dropped.push_back(token);
  return StartAttempt(attempt->alternative, attempt->server);
}

std::vector<AttemptLedger::Token> AttemptLedger::Assign(size_t index, std::span<const Share> shares,
                                                        const Roaring& hopeless,
                                                        const Roaring& gone) {
  const size_t piece = alternatives_[index].piece;
  const std::shared_ptr<const Roaring> ids = pieces_[piece].ids;
  if (shares.size() == 1 && ids->isSubset(shares[0].ids))
    return {StartAttempt(index, shares[0].server)};
  const bool hedged = pieces_[piece].hedged;
  const std::vector<uint32_t> tried = alternatives_[index].tried;
  const bool missing = alternatives_[index].missing;
  alternatives_[index].state = State::kSplit;
  --wanting_;
  std::vector<Token> tokens;
  Roaring rest = *ids;
  for (const Share& share : shares) {
    Roaring part = rest & share.ids;
    rest -= part;
    tokens.push_back(
        part.isEmpty()
            ? 0
            : StartAttempt(AddAlternative(AddPiece(Held(std::move(part)), index, hedged), tried),
                           share.server));
  }
  alternatives_[index].gone = rest & gone;
  rest -= alternatives_[index].gone;
  alternatives_[index].gap = rest & hopeless;
  rest -= alternatives_[index].gap;
  if (!rest.isEmpty())
    WantElsewhere(AddAlternative(AddPiece(Held(std::move(rest)), index, hedged), tried), missing);
  return tokens;
}

std::vector<AttemptLedger::Token> AttemptLedger::Supply(uint64_t want,
                                                        std::span<const Share> shares,
                                                        const Roaring& hopeless,
                                                        const Roaring& dropped) {
  if (!wanted(want)) return std::vector<Token>(shares.size(), 0);
  const size_t index = wants_[want - 1];
  std::vector<Token> tokens = Assign(index, shares, hopeless, dropped);
  Conclude(index);
  return tokens;
}

bool AttemptLedger::MayHedge(Token token) const {
  const Attempt* attempt = Find(token);
  return attempt != nullptr && attempt->running &&
         !pieces_[alternatives_[attempt->alternative].piece].hedged;
}

const Roaring& AttemptLedger::IdsOf(Token token) const {
  static const Roaring kNoIds;
  const Attempt* attempt = Find(token);
  return attempt == nullptr ? kNoIds : *pieces_[alternatives_[attempt->alternative].piece].ids;
}

std::vector<uint32_t> AttemptLedger::TriedFor(Token token) const {
  const Attempt* attempt = Find(token);
  if (attempt == nullptr) return {};
  std::vector<uint32_t> tried = alternatives_[attempt->alternative].tried;
  tried.push_back(attempt->server);
  return tried;
}

std::vector<AttemptLedger::Token> AttemptLedger::Hedge(Token token, std::span<const Share> shares) {
  const std::vector<Token> none(shares.size(), 0);
  if (!MayHedge(token)) return none;
  const size_t piece = alternatives_[Find(token)->alternative].piece;
  Roaring covered;
  for (const Share& share : shares) covered |= share.ids;
  if (!pieces_[piece].ids->isSubset(covered)) return none;
  pieces_[piece].hedged = true;
  return Assign(AddAlternative(piece, TriedFor(token)), shares, {}, {});
}

bool AttemptLedger::IsComplete(const Alternative& alternative) const {
  if (alternative.state == State::kDone) return true;
  return alternative.state == State::kSplit && alternative.gap.isEmpty() &&
         std::all_of(alternative.pieces.begin(), alternative.pieces.end(),
                     [&](size_t piece) { return pieces_[piece].complete; });
}

void AttemptLedger::Drop(size_t index) {
  Alternative& alternative = alternatives_[index];
  if (alternative.state == State::kWanting) --wanting_;
  if (alternative.state == State::kRunning) {
    attempts_[alternative.token - 1].running = false;
    --running_;
  }
  if (alternative.token != 0) steps_.dropped.push_back(alternative.token);
  alternative.state = State::kDropped;
  for (const size_t piece : alternative.pieces) {
    for (const size_t below : pieces_[piece].alternatives) Drop(below);
  }
}

void AttemptLedger::Keep(Piece& piece, size_t kept) {
  for (const size_t alternative : piece.alternatives) {
    if (alternative != kept) Drop(alternative);
  }
  piece.alternatives = {kept};
}

void AttemptLedger::Conclude(size_t index) {
  size_t root = alternatives_[index].piece;
  for (bool complete = true; index != kNone; index = pieces_[root].parent) {
    root = alternatives_[index].piece;
    complete = complete && IsComplete(alternatives_[index]);
    if (!complete) continue;
    Keep(pieces_[root], index);
    pieces_[root].complete = true;
  }
  AcceptDecided(root);
}

void AttemptLedger::AcceptDecided(size_t piece) {
  if (pieces_[piece].alternatives.size() != 1) return;
  Alternative& only = alternatives_[pieces_[piece].alternatives[0]];
  if (only.state == State::kDone && !only.accepted) {
    only.accepted = true;
    steps_.accepted.push_back(only.token);
  }
  for (const size_t part : only.pieces) AcceptDecided(part);
}

AttemptLedger::Steps AttemptLedger::TakeSteps() { return std::exchange(steps_, {}); }

uint64_t AttemptLedger::Coverage(size_t index) const {
  const Alternative& alternative = alternatives_[index];
  if (alternative.state == State::kDone) return pieces_[alternative.piece].ids->cardinality();
  uint64_t total = alternative.gone.cardinality();
  for (const size_t piece : alternative.pieces) {
    uint64_t best = 0;
    for (const size_t below : pieces_[piece].alternatives) best = std::max(best, Coverage(below));
    total += best;
  }
  return total;
}

void AttemptLedger::SettlePiece(size_t index, Settlement& settlement) {
  Piece& piece = pieces_[index];
  if (piece.alternatives.size() > 1)
    Keep(piece, *std::max_element(piece.alternatives.begin(), piece.alternatives.end(),
                                  [&](size_t a, size_t b) { return Coverage(a) < Coverage(b); }));
  const size_t kept = piece.alternatives[0];
  switch (alternatives_[kept].state) {
    case State::kDone:
      return;
    case State::kSplit:
      settlement.dropped |= alternatives_[kept].gone;
      settlement.uncovered |= alternatives_[kept].gap;
      for (const size_t part : alternatives_[kept].pieces) SettlePiece(part, settlement);
      return;
    default:
      settlement.uncovered |= *piece.ids;
      if (alternatives_[kept].state != State::kDropped) Drop(kept);
  }
}

AttemptLedger::Settlement AttemptLedger::Settle() {
  Settlement settlement;
  for (const size_t root : roots_) {
    SettlePiece(root, settlement);
    AcceptDecided(root);
  }
  steps_.wanted.clear();
  return settlement;
}

}  // namespace trellis::broker
