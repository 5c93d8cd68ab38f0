// The ledger against clusters in which everything is drawn from a seed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "broker/dispatch/attempt_ledger.h"

namespace trellis::broker {
namespace {

// A cluster as an AttemptLedger sees one, on simulated time: random replicas, delays, messages that
// come twice or after a cancel, attempts that are lost, servers that restart, fail, are stale or no
// longer hold what they are asked for, hedges and a deadline. All of it follows from the seed.
class SimulatedCluster {
 public:
  using Token = AttemptLedger::Token;

  explicit SimulatedCluster(uint64_t seed) : random_(seed) {
    hedges_ = Chance(50);
    has_deadline_ = Chance(50);
    reliable_ = Chance(50);
    deadline_ = has_deadline_ ? Pick(1, 400) : INT64_MAX;
    const uint32_t servers = static_cast<uint32_t>(Pick(1, 7));
    trouble_ = static_cast<int>(Pick(0, 70));
    for (uint32_t i = 0; i < servers; ++i) safe_.push_back(Chance(40));
    safe_[static_cast<size_t>(Pick(0, servers - 1))] = true;
    const uint32_t segments = static_cast<uint32_t>(Pick(1, 60));
    for (uint32_t id = 0; id < segments; ++id) Place(id, servers);
  }

  // Runs the query. Empty when every invariant held, else what broke.
  std::string Run() {
    RouteAll();
    while (!events_.empty() && fault_.empty() && !ledger_.finished()) {
      const Event event = events_.top();
      events_.pop();
      if (event.at > deadline_) break;
      now_ = event.at;
      if (++handled_ > 100'000) return "it never ends";
      event.act();
      Follow();
    }
    const bool finished = ledger_.finished();
    settled_ = ledger_.Settle();
    Follow();
    if (fault_.empty()) Judge(finished);
    return fault_;
  }

  size_t hedges_won() const { return hedges_won_; }
  size_t retries() const { return retries_; }
  bool complete() const { return settled_.uncovered.isEmpty(); }

 private:
  struct Event {
    int64_t at;
    uint64_t order;
    std::function<void()> act;
    bool operator<(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  struct AttemptRecord {
    uint32_t server;
    Roaring asked;
    Roaring ran;  // what the server counts rows of
    bool done = false;
    bool hedge = false;
    bool over = false;  // accepted or dropped
  };

  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  bool Chance(int percent) { return Pick(1, 100) <= percent; }
  void After(int64_t delay, std::function<void()> act) {
    events_.push({now_ + delay, ++order_, std::move(act)});
  }

  // Replicas of one segment: where the broker believes it to be, and where it is.
  void Place(uint32_t id, uint32_t servers) {
    std::set<uint32_t> held;
    for (int64_t i = Pick(1, 3); i > 0; --i)
      held.insert(static_cast<uint32_t>(Pick(0, servers - 1)));
    if (reliable_) {
      while (std::none_of(held.begin(), held.end(), [&](uint32_t s) { return safe_[s]; }))
        held.insert(static_cast<uint32_t>(Pick(0, servers - 1)));
    }
    const bool deleted = !reliable_ && Chance(5);
    if (deleted) deleted_.add(id);
    for (const uint32_t server : held) {
      believed_[id].push_back(server);
      if (!deleted && (safe_[server] || !Chance(trouble_ / 4))) real_[server].add(id);
    }
  }

  void RouteAll() {
    std::map<uint32_t, Roaring> shares;
    for (const auto& [id, servers] : believed_) {
      if (Chance(5)) continue;  // pruned
      shares[servers[static_cast<size_t>(Pick(0, static_cast<int64_t>(servers.size()) - 1))]].add(
          id);
      routed_.add(id);
    }
    for (const auto& [server, ids] : shares) {
      const auto held = std::make_shared<const Roaring>(ids);
      Begin(ledger_.Route(server, held), server, ids, false);
    }
  }

  // Where ids can be had besides the tried servers; what nobody has is left in `rest`.
  std::vector<AttemptLedger::Share> Replicas(const Roaring& ids, const std::vector<uint32_t>& tried,
                                             Roaring& rest) {
    std::map<uint32_t, Roaring> shares;
    for (const uint32_t id : ids) {
      std::vector<uint32_t> left;
      for (const uint32_t server : believed_[id]) {
        if (std::find(tried.begin(), tried.end(), server) == tried.end()) left.push_back(server);
      }
      if (left.empty()) {
        rest.add(id);
      } else {
        shares[left[static_cast<size_t>(Pick(0, static_cast<int64_t>(left.size()) - 1))]].add(id);
      }
    }
    std::vector<AttemptLedger::Share> list;
    for (auto& [server, part] : shares) list.push_back({server, std::move(part)});
    return list;
  }

  void Begin(Token token, uint32_t server, const Roaring& asked, bool hedge) {
    if (token == 0) return;
    if (attempts_.contains(token)) fault_ = "a token was given out twice";
    if (!(ledger_.IdsOf(token) == asked)) fault_ = "an attempt covers other ids than it asks for";
    attempts_[token] = {server, asked, asked & real_[server], false, hedge, false};
    const bool safe = safe_[server];
    const int64_t accepted_in = Pick(0, 30);
    if (!resent_.contains(token) && Chance(trouble_ / 4)) {
      After(accepted_in, [this, token] { Stale(token); });
      return;
    }
    const Roaring missing = asked - real_[server];
    Roaring at_first = missing;  // the others turn out to be damaged only when they are read
    if (Chance(30)) {
      for (const uint32_t id : missing)
        if (Chance(50)) at_first.remove(id);
    }
    const auto accept = [this, token, at_first] { ledger_.Missing(token, at_first); };
    After(accepted_in, accept);
    int64_t ends_in = accepted_in + (Chance(20) ? Pick(0, 300) : Pick(0, 30));
    if (!(at_first == missing)) {
      const Roaring later = missing - at_first;
      After(Pick(accepted_in, ends_in), [this, token, later] { ledger_.Missing(token, later); });
    }
    if (safe || !Chance(trouble_)) {
      After(ends_in, [this, token] { Done(token); });
      if (Chance(20)) After(ends_in + Pick(0, 50), [this, token] { Done(token); });
      if (Chance(20)) After(accepted_in + Pick(0, 50), accept);
    } else if (has_deadline_ && !reliable_ && Chance(20)) {
      // Lost: nothing is ever heard of it.
    } else {
      ends_in = Pick(0, 60);  // perhaps before it was accepted, perhaps after
      After(ends_in, [this, token] { ledger_.Failed(token); });
      if (Chance(20)) After(ends_in + Pick(0, 50), [this, token] { Done(token); });
    }
    if (hedges_ && Chance(60)) After(Pick(0, 100), [this, token] { Hedge(token); });
  }

  void Stale(Token token) {
    const uint32_t server = attempts_[token].server;
    const Roaring asked = ledger_.IdsOf(token);
    const Token again = ledger_.Resend(token);
    if (again == 0) return;
    resent_.insert(again);
    Begin(again, server, asked, attempts_[token].hedge);
  }

  void Done(Token token) {
    if (ledger_.running(token)) {
      attempts_[token].done = true;
      if (!(ledger_.IdsOf(token) == attempts_[token].ran))
        fault_ = "a done attempt is taken for other segments than it ran";
    }
    ledger_.Done(token);
  }

  void Hedge(Token token) {
    if (!ledger_.MayHedge(token)) return;
    Roaring rest;
    const auto shares = Replicas(ledger_.IdsOf(token), ledger_.TriedFor(token), rest);
    const auto tokens = ledger_.Hedge(token, shares);
    if (!rest.isEmpty() && std::any_of(tokens.begin(), tokens.end(), [](Token t) { return t; }))
      fault_ = "a hedge that does not cover its piece was started";
    for (size_t i = 0; i < tokens.size(); ++i)
      Begin(tokens[i], shares[i].server, shares[i].ids, true);
  }

  void Want(const AttemptLedger::Want& want) {
    ++retries_;
    Roaring rest;
    auto shares = Replicas(want.ids, want.tried, rest);
    const Roaring gone = want.missing ? rest & deleted_ : Roaring();
    Roaring hopeless = rest - gone;
    if (Chance(10) && !shares.empty()) {
      // Not at once: the part stays wanted and is asked for again.
      shares.pop_back();
    }
    const auto tokens = ledger_.Supply(want.number, shares, hopeless, gone);
    for (size_t i = 0; i < tokens.size(); ++i)
      Begin(tokens[i], shares[i].server, shares[i].ids, false);
  }

  void Follow() {
    AttemptLedger::Steps steps = ledger_.TakeSteps();
    for (const Token token : steps.accepted) {
      AttemptRecord& attempt = attempts_[token];
      if (!attempt.done) fault_ = "an attempt was accepted before it was done";
      if (attempt.over) fault_ = "an attempt was accepted that was over";
      attempt.over = true;
      if (!(counted_ & attempt.ran).isEmpty()) fault_ = "a segment was counted twice";
      counted_ |= attempt.ran;
      hedges_won_ += attempt.hedge ? 1 : 0;
    }
    for (const Token token : steps.dropped) {
      if (attempts_[token].over) fault_ = "an attempt was dropped that was over";
      attempts_[token].over = true;
    }
    for (const AttemptLedger::Want& want : steps.wanted)
      After(Chance(30) ? Pick(0, 20) : 0, [this, want] { Want(want); });
  }

  void Judge(bool finished) {
    if (!((counted_ | settled_.dropped | settled_.uncovered) == routed_))
      fault_ = "counted, dropped and uncovered are not what was routed";
    if (counted_.cardinality() + settled_.dropped.cardinality() +
            settled_.uncovered.cardinality() !=
        routed_.cardinality())
      fault_ = "counted, dropped and uncovered overlap";
    if (!settled_.dropped.isSubset(deleted_)) fault_ = "a segment was dropped that is there";
    if (!has_deadline_ && !finished) fault_ = "it stopped before it was finished";
    if (!has_deadline_ && reliable_ && !settled_.uncovered.isEmpty())
      fault_ = "a segment is uncovered that a server which never fails holds";
    for (const auto& [token, attempt] : attempts_) {
      if (!attempt.over) fault_ = "an attempt was neither accepted nor dropped";
    }
  }

  std::mt19937_64 random_;
  AttemptLedger ledger_;
  AttemptLedger::Settlement settled_;
  bool hedges_ = false;
  bool has_deadline_ = false;
  bool reliable_ = false;  // each segment is on a server that never fails
  int trouble_ = 0;        // percent
  int64_t deadline_ = 0;
  int64_t now_ = 0;
  uint64_t order_ = 0;
  size_t handled_ = 0;
  std::vector<bool> safe_;
  std::map<uint32_t, std::vector<uint32_t>> believed_;
  std::map<uint32_t, Roaring> real_;
  Roaring deleted_;
  Roaring routed_;
  Roaring counted_;
  std::priority_queue<Event> events_;
  std::map<Token, AttemptRecord> attempts_;
  std::set<Token> resent_;
  size_t hedges_won_ = 0;
  size_t retries_ = 0;
  std::string fault_;
};

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

// TRELLIS_SEED starts elsewhere (one seed, unless TRELLIS_SEEDS says how many).
TEST_CASE("each segment counts once at most, whatever happens in whatever order") {
  const uint64_t first = FromEnvironment("TRELLIS_SEED", 0);
  const bool given = std::getenv("TRELLIS_SEED") != nullptr;
  const uint64_t seeds = FromEnvironment("TRELLIS_SEEDS", given ? 1 : 10'000);
  size_t hedges_won = 0;
  size_t retries = 0;
  size_t complete = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    SimulatedCluster cluster(seed);
    const std::string fault = cluster.Run();
    INFO("TRELLIS_SEED=" << seed << ": " << fault);
    REQUIRE(fault.empty());
    hedges_won += cluster.hedges_won();
    retries += cluster.retries();
    complete += cluster.complete() ? 1 : 0;
  }
  if (seeds < 1'000) return;
  // The schedules do reach what they are about.
  CHECK(hedges_won > seeds / 10);
  CHECK(retries > seeds);
  CHECK(complete > seeds / 4);
  CHECK(complete < seeds);
}

}  // namespace trellis::broker
