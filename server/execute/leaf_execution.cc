#include "server/execute/leaf_execution.h"

#include <algorithm>

namespace trellis::server {

LeafExecution::LeafExecution(std::shared_ptr<LeafQuery> query, std::shared_ptr<const void> snapshot,
                             std::vector<std::shared_ptr<const segment::Segment>> segments,
                             Clock::time_point deadline, size_t parallelism_max,
                             std::function<void(LeafOutcome)> done)
    : query_(std::move(query)),
      snapshot_(std::move(snapshot)),
      segments_(std::move(segments)),
      deadline_(deadline),
      parallelism_max_(std::max<size_t>(parallelism_max, 1)),
      done_(std::move(done)),
      unfinished_(std::max<size_t>(segments_.size(), 1)) {}

void LeafExecution::Cancel() { query_->cancelled.store(true); }

void LeafExecution::Fail(Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  query_->cancelled.store(true);  // the other lanes need not go on
}

std::unique_ptr<Lane> LeafExecution::TakeLane() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto lane = std::move(idle_.back());
      idle_.pop_back();
      return lane;
    }
  }
  auto lane = Lane::Create(query_);
  if (!lane.ok()) {
    Fail(lane.status());
    return nullptr;
  }
  return std::move(*lane);
}

bool LeafExecution::RunStep() {
  const size_t index = next_.fetch_add(1);
  if (index >= std::max<size_t>(segments_.size(), 1)) return false;
  if (Clock::now() > deadline_) {
    Fail(Status(StatusCode::kDeadlineExceeded, "query timed out on the server",
                PinotCode::kExecutionTimeout));
  }
  if (query_->cancelled.load()) {
    Fail(Status(StatusCode::kCancelled, "query cancelled", PinotCode::kQueryCancelled));
  } else if (auto lane = TakeLane()) {
    // An empty list still runs: a lane without segments gives the answer over no rows.
    if (index < segments_.size() && !lane->Satisfied()) {
      const Status status = lane->Process(*segments_[index]);
      if (!status.ok()) Fail(status.WithPinotCode(PinotCode::kQueryExecution));
    }
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(lane));
  }
  if (unfinished_.fetch_sub(1) == 1) Finish();
  return true;
}

void LeafExecution::Finish() {
  LeafOutcome outcome;
  outcome.status = status_;
  for (size_t i = 1; i < idle_.size() && outcome.status.ok(); ++i)
    outcome.status = idle_[0]->Absorb(*idle_[i]);
  if (outcome.status.ok()) {
    auto block = idle_.at(0)->Finish();
    if (block.ok())
      outcome.block = std::move(*block);
    else
      outcome.status = block.status();
  }
  if (!idle_.empty()) outcome.statistics = idle_[0]->statistics();
  idle_.clear();
  done_(std::move(outcome));
}

}  // namespace trellis::server
