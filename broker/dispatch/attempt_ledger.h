#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <roaring/roaring.hh>
#include <span>
#include <vector>

namespace trellis::broker {

// Decides which servers' answers make up the answer of one query, so that every routed segment
// counts at most once (design.md 5.2). Pure: no IO, no clock, no threads; segments are ids of the
// route's table, servers whatever numbers the caller gives them.
//
// A piece is a set of segments. It has one alternative, or two once it is hedged; an alternative is
// one attempt (one list on one server) for the whole piece, or a split into smaller pieces. What an
// attempt turns out not to hold is split off and wanted elsewhere; an attempt that fails is wanted
// elsewhere whole. The first alternative that is complete decides its piece; blocks of an attempt
// are provisional until every piece around it is decided.
class AttemptLedger {
 public:
  using Token = uint64_t;  // of an attempt: 1, 2, ...; 0 is none

  struct Share {
    uint32_t server = 0;
    Roaring ids;
  };
  // Segments that need a server. Answer with Supply.
  struct Want {
    uint64_t number = 0;
    Roaring ids;
    std::vector<uint32_t> tried;  // servers not to ask again for them
    bool missing = false;         // the last one tried does not hold them; else it failed
  };
  // What the caller has to do.
  struct Steps {
    std::vector<Token> accepted;  // their blocks are part of the answer
    std::vector<Token> dropped;   // cancel them and forget their blocks
    std::vector<Want> wanted;
  };

  // A first attempt. Costs the same however many ids there are. REQUIRES: `ids`, not null, share
  // nothing with those routed before.
  Token Route(uint32_t server, std::shared_ptr<const Roaring> ids);

  // What is said of a token that is unknown, dropped or finished is ignored: a duplicate, or late.
  void Missing(Token token, const Roaring& ids);  // ids that the attempt does not have are ignored
  void Done(Token token);
  // `hopeless`: no other server would do better, the ids stay uncovered.
  void Failed(Token token, bool hopeless = false);
  // The same list again on the same server, as a new attempt; 0 unless the old one is running.
  Token Resend(Token token);

  // Starts an attempt for each share (tokens in their order; 0 for a share without wanted ids).
  // `hopeless` can be had nowhere; `dropped` need not be had, the table no longer has them.
  // Anything else stays wanted, under a new number. A want that has been dropped meanwhile starts
  // nothing.
  std::vector<Token> Supply(uint64_t want, std::span<const Share> shares, const Roaring& hopeless,
                            const Roaring& dropped);

  // Whether a second alternative may be added beside this attempt: it is running, and the piece it
  // serves was not hedged.
  bool MayHedge(Token token) const;
  const Roaring& IdsOf(Token token) const;  // that the attempt has to cover; empty when unknown
  // Servers not to be asked again for these ids, the attempt's own included.
  std::vector<uint32_t> TriedFor(Token token) const;
  // Adds the alternative. Starts nothing unless MayHedge and `shares` cover the attempt's ids.
  std::vector<Token> Hedge(Token token, std::span<const Share> shares);

  bool running(Token token) const;
  bool wanted(uint64_t want) const;
  // Nothing runs and nothing is wanted.
  bool finished() const { return running_ == 0 && wanting_ == 0; }
  // What the calls since the last TakeSteps ask for.
  Steps TakeSteps();

  // Ends everything: pieces that are not complete take the alternative that covers most. The ids of
  // the accepted attempts, `dropped` and `uncovered` are what was routed, and share nothing.
  struct Settlement {
    Roaring dropped;
    Roaring uncovered;
  };
  Settlement Settle();

 private:
  static constexpr size_t kNone = SIZE_MAX;

  enum class State { kWanting, kRunning, kDone, kSplit, kDropped };
  struct Alternative {
    size_t piece = kNone;
    State state = State::kWanting;
    Token token = 0;        // kRunning, kDone
    uint64_t want = 0;      // kWanting
    bool missing = false;   // kWanting
    bool accepted = false;  // kDone
    std::vector<uint32_t> tried;
    std::vector<size_t> pieces;  // kSplit: with `gap` and `gone` they make up the piece
    Roaring gap;
    Roaring gone;
  };
  struct Piece {
    std::shared_ptr<const Roaring> ids;
    size_t parent = kNone;  // the alternative it is a part of
    bool hedged = false;
    bool complete = false;
    std::vector<size_t> alternatives;  // alive: one or two
  };
  struct Attempt {
    uint32_t server = 0;
    size_t alternative = kNone;
    bool running = false;
  };

  size_t AddPiece(std::shared_ptr<const Roaring> ids, size_t parent, bool hedged);
  size_t AddAlternative(size_t piece, std::vector<uint32_t> tried);
  Token StartAttempt(size_t alternative, uint32_t server);
  void WantElsewhere(size_t alternative, bool missing);
  // Makes a wanting alternative of its shares, and what is left of its ids. Returns their tokens.
  std::vector<Token> Assign(size_t alternative, std::span<const Share> shares,
                            const Roaring& hopeless, const Roaring& gone);
  bool IsComplete(const Alternative& alternative) const;
  void Drop(size_t alternative);
  void Keep(Piece& piece, size_t alternative);  // drops the other one
  // Draws the conclusions of a change in `alternative`, upwards, then accepts what is decided.
  void Conclude(size_t alternative);
  void AcceptDecided(size_t piece);
  uint64_t Coverage(size_t alternative) const;
  void SettlePiece(size_t piece, Settlement& settlement);
  Attempt* Find(Token token);
  const Attempt* Find(Token token) const;

  std::deque<Piece> pieces_;
  std::deque<Alternative> alternatives_;
  std::deque<Attempt> attempts_;  // by token - 1
  std::vector<size_t> roots_;
  std::deque<size_t> wants_;  // alternative, by want number - 1
  Steps steps_;
  size_t running_ = 0;
  size_t wanting_ = 0;
};

}  // namespace trellis::broker
