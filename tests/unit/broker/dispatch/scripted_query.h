#pragma once

#include <optional>

#include "broker/dispatch/dispatcher.h"
#include "tests/unit/broker/dispatch/made_catalog.h"
#include "tests/unit/broker/dispatch/scripted_leaf.h"

namespace trellis::broker {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Names = std::vector<std::string>;

// One query over made servers; counts the rows that it answers.
class ScriptedQuery {
 public:
  explicit ScriptedQuery(const std::vector<MadeServer>& servers)
      : snapshot_(MakeCatalog(servers)), route_(RouteOf(snapshot_)) {
    stage_.table = "t_OFFLINE";
    stage_.shape = plan::QueryShape::kAggregate;
    stage_.aggregates = {{"count", {}, {}, {}}};
    request.query_id = "q";
    request.stage = &stage_;
    request.route = &route_;
    request.deadline = Clock::now() + 20s;
    request.channel = [](const std::string& target) { return rpc::Channel::Create(target); };
    request.newest = [this] { return snapshot_; };
    request.hedge_delay = &hedge_delay;
  }
  Result<DispatchOutcome> Run() {
    return Dispatch(request, cancel, [this](Block block) {
      for (size_t row = 0; row < block.rows; ++row) rows += block.columns.at(0).Get(row).int64();
      return Status::Ok();
    });
  }
  DispatchOutcome MustRun() {
    auto outcome = Run();
    INFO(outcome.status().message());
    REQUIRE(outcome.ok());
    return std::move(*outcome);
  }
  // Slow from the first millisecond on.
  void HedgeAfter(std::chrono::milliseconds delay) {
    request.hedge_delay = nullptr;
    hedging.emplace(HedgeDelay::Options{.delay_min = delay, .delay_max = delay});
    request.hedge_delay = &*hedging;
  }

  HedgeDelay hedge_delay;
  std::optional<HedgeDelay> hedging;
  DispatchRequest request;
  CancelToken cancel;
  int64_t rows = 0;

 private:
  std::shared_ptr<const CatalogSnapshot> snapshot_;
  plan::LeafStage stage_;
  Route route_;
};

inline const ServerAnswer& AnswerOf(const DispatchOutcome& outcome, const std::string& target) {
  for (const ServerAnswer& answer : outcome.servers) {
    if (answer.target == target) return answer;
  }
  FAIL("no answer of " + target);
  std::abort();
}

}  // namespace trellis::broker
