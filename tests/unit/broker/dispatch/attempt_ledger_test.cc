#include "broker/dispatch/attempt_ledger.h"

#include <catch2/catch.hpp>
#include <memory>

namespace trellis::broker {
namespace {

using Token = AttemptLedger::Token;
using Tokens = std::vector<Token>;

Roaring Ids(uint32_t from, uint32_t to) {  // [from, to)
  Roaring ids;
  ids.addRange(from, to);
  return ids;
}

Token Route(AttemptLedger& ledger, uint32_t server, Roaring ids) {
  return ledger.Route(server, std::make_shared<const Roaring>(std::move(ids)));
}

// What these attempts cover.
Roaring Covered(const AttemptLedger& ledger, const Tokens& tokens) {
  Roaring covered;
  for (const Token token : tokens) covered |= ledger.IdsOf(token);
  return covered;
}

// Supplies the one thing that is wanted.
Tokens SupplyOnly(AttemptLedger& ledger, std::vector<AttemptLedger::Share> shares,
                  const Roaring& hopeless = {}, const Roaring& dropped = {}) {
  const auto steps = ledger.TakeSteps();
  REQUIRE(steps.wanted.size() == 1);
  return ledger.Supply(steps.wanted[0].number, shares, hopeless, dropped);
}

}  // namespace

TEST_CASE("a done attempt is accepted at once, and only once") {
  AttemptLedger ledger;
  const Token a = Route(ledger, 0, Ids(0, 10));
  const Token b = Route(ledger, 1, Ids(10, 15));
  CHECK_FALSE(ledger.finished());
  ledger.Done(a);
  CHECK(ledger.TakeSteps().accepted == Tokens{a});
  ledger.Done(a);
  ledger.Failed(a);
  ledger.Missing(a, Ids(0, 10));
  ledger.Done(77);
  CHECK(ledger.TakeSteps().accepted.empty());
  ledger.Done(b);
  CHECK(ledger.finished());
  const auto settled = ledger.Settle();
  CHECK(Covered(ledger, {a, b}) == Ids(0, 15));
  CHECK(settled.uncovered.isEmpty());
}

TEST_CASE("what a server does not hold is wanted beside the rest, not from it again") {
  AttemptLedger ledger;
  const Token a = Route(ledger, 4, Ids(0, 10));
  ledger.Missing(a, Ids(7, 99));
  CHECK(ledger.IdsOf(a) == Ids(0, 7));
  const auto steps = ledger.TakeSteps();
  REQUIRE(steps.wanted.size() == 1);
  CHECK(steps.wanted[0].ids == Ids(7, 10));
  CHECK(steps.wanted[0].tried == std::vector<uint32_t>{4});
  CHECK(steps.wanted[0].missing);
  ledger.Done(a);
  CHECK(ledger.TakeSteps().accepted == Tokens{a});
  const std::vector<AttemptLedger::Share> shares{{5, Ids(7, 10)}};
  const Tokens again = ledger.Supply(steps.wanted[0].number, shares, {}, {});
  ledger.Done(again.at(0));
  CHECK(ledger.TakeSteps().accepted == again);
  CHECK(ledger.Settle().uncovered.isEmpty());
  CHECK(Covered(ledger, {a, again[0]}) == Ids(0, 10));
}

TEST_CASE("an attempt that fails is wanted whole, from servers that were not tried") {
  AttemptLedger ledger;
  const Token a = Route(ledger, 0, Ids(0, 10));
  ledger.Failed(a);
  auto steps = ledger.TakeSteps();
  CHECK(steps.dropped == Tokens{a});
  REQUIRE(steps.wanted.size() == 1);
  CHECK_FALSE(steps.wanted[0].missing);
  const std::vector<AttemptLedger::Share> shares{{1, Ids(0, 4)}, {2, Ids(4, 9)}};
  const Tokens again = ledger.Supply(steps.wanted[0].number, shares, Ids(9, 10), {});
  CHECK(ledger.Supply(steps.wanted[0].number, shares, {}, {}) == Tokens{0, 0});
  ledger.Done(again.at(0));
  ledger.Failed(again.at(1));
  steps = ledger.TakeSteps();
  CHECK(steps.accepted == Tokens{again[0]});
  REQUIRE(steps.wanted.size() == 1);
  CHECK(steps.wanted[0].tried == std::vector<uint32_t>{0, 2});
  ledger.Supply(steps.wanted[0].number, {}, Ids(4, 9), {});
  CHECK(ledger.finished());
  const auto settled = ledger.Settle();
  CHECK(ledger.IdsOf(again[0]) == Ids(0, 4));
  CHECK(settled.uncovered == Ids(4, 10));
}

TEST_CASE("a hopeless failure is wanted nowhere") {
  AttemptLedger ledger;
  const Token a = Route(ledger, 0, Ids(0, 3));
  ledger.Failed(a, true);
  const auto steps = ledger.TakeSteps();
  CHECK(steps.dropped == Tokens{a});
  CHECK(steps.wanted.empty());
  CHECK(ledger.finished());
  CHECK(ledger.Settle().uncovered == Ids(0, 3));
}

TEST_CASE("segments that the table no longer has need not be had") {
  AttemptLedger ledger;
  const Token a = Route(ledger, 0, Ids(0, 3));
  ledger.Missing(a, Ids(1, 3));
  SupplyOnly(ledger, {}, Ids(2, 3), Ids(1, 2));
  ledger.Done(a);
  const auto settled = ledger.Settle();
  CHECK(ledger.IdsOf(a) == Ids(0, 1));
  CHECK(settled.dropped == Ids(1, 2));
  CHECK(settled.uncovered == Ids(2, 3));
}

TEST_CASE("of an attempt and its hedge the first that is complete counts") {
  for (const bool hedge_wins : {false, true}) {
    AttemptLedger ledger;
    const Token slow = Route(ledger, 0, Ids(0, 10));
    REQUIRE(ledger.MayHedge(slow));
    const std::vector<AttemptLedger::Share> shares{{1, Ids(0, 5)}, {2, Ids(5, 10)}};
    const Tokens hedge = ledger.Hedge(slow, shares);
    REQUIRE(hedge.size() == 2);
    CHECK_FALSE(ledger.MayHedge(slow));
    CHECK_FALSE(ledger.MayHedge(hedge[0]));
    CHECK(ledger.Hedge(slow, shares) == Tokens{0, 0});
    ledger.Done(hedge[0]);
    CHECK(ledger.TakeSteps().accepted.empty());  // half an alternative is none
    ledger.Done(hedge_wins ? hedge[1] : slow);
    const auto steps = ledger.TakeSteps();
    CHECK(steps.accepted == (hedge_wins ? hedge : Tokens{slow}));
    CHECK(steps.dropped == (hedge_wins ? Tokens{slow} : hedge));
    CHECK(ledger.finished());
    ledger.Done(hedge_wins ? slow : hedge[1]);
    CHECK(ledger.TakeSteps().accepted.empty());
    CHECK(ledger.Settle().uncovered.isEmpty());
  }
}

TEST_CASE("a hedge that does not cover its attempt is none") {
  AttemptLedger ledger;
  const Token slow = Route(ledger, 0, Ids(0, 10));
  const std::vector<AttemptLedger::Share> shares{{1, Ids(0, 9)}};
  CHECK(ledger.Hedge(slow, shares) == Tokens{0});
  CHECK(ledger.MayHedge(slow));
}

TEST_CASE("when one of two alternatives fails the other goes on alone") {
  for (const bool hedge_fails : {false, true}) {
    AttemptLedger ledger;
    const Token slow = Route(ledger, 0, Ids(0, 10));
    const std::vector<AttemptLedger::Share> shares{{1, Ids(0, 10)}};
    const Token hedge = ledger.Hedge(slow, shares).at(0);
    ledger.Failed(hedge_fails ? hedge : slow);
    auto steps = ledger.TakeSteps();
    CHECK(steps.wanted.empty());
    CHECK(steps.dropped == Tokens{hedge_fails ? hedge : slow});
    ledger.Failed(hedge_fails ? slow : hedge);
    steps = ledger.TakeSteps();
    REQUIRE(steps.wanted.size() == 1);
    if (!hedge_fails) CHECK(steps.wanted[0].tried == std::vector<uint32_t>{0, 1});
  }
}

TEST_CASE("a stale list is sent again to its server, as another attempt") {
  AttemptLedger ledger;
  const Token stale = Route(ledger, 3, Ids(0, 10));
  const Token again = ledger.Resend(stale);
  CHECK(again != stale);
  CHECK(ledger.Resend(stale) == 0);
  ledger.Failed(stale);
  CHECK(ledger.running(again));
  CHECK(ledger.IdsOf(again) == Ids(0, 10));
  ledger.Done(again);
  const auto steps = ledger.TakeSteps();
  CHECK(steps.dropped == Tokens{stale});
  CHECK(steps.accepted == Tokens{again});
}

TEST_CASE("at the end the alternative that covers most is taken") {
  AttemptLedger ledger;
  const Token slow = Route(ledger, 0, Ids(0, 10));
  const std::vector<AttemptLedger::Share> shares{{1, Ids(0, 4)}, {2, Ids(4, 10)}};
  const Tokens hedge = ledger.Hedge(slow, shares);
  ledger.Missing(slow, Ids(9, 10));
  ledger.Done(hedge[1]);  // 6 of 10
  ledger.Done(slow);      // 9 of 10
  CHECK(ledger.TakeSteps().accepted.empty());
  const auto settled = ledger.Settle();
  CHECK(ledger.IdsOf(slow) == Ids(0, 9));
  CHECK(settled.uncovered == Ids(9, 10));
  const auto steps = ledger.TakeSteps();
  CHECK(steps.accepted == Tokens{slow});
  CHECK(steps.dropped == hedge);
}

TEST_CASE("an attempt that holds nothing of its list is given up, its list wanted") {
  AttemptLedger ledger;
  const Token a = Route(ledger, 0, Ids(0, 2));
  ledger.Missing(a, Ids(0, 2));
  const auto steps = ledger.TakeSteps();
  CHECK(steps.dropped == Tokens{a});
  REQUIRE(steps.wanted.size() == 1);
  CHECK(ledger.wanted(steps.wanted[0].number));
  ledger.Done(a);
  CHECK(ledger.TakeSteps().accepted.empty());
  CHECK(ledger.Settle().uncovered == Ids(0, 2));
}

}  // namespace trellis::broker
