#include "server/execute/leaf_execution.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace trellis::server {
namespace {

// Turns what a library throws (an allocation that fails first of all) into the query's error: one
// query must not end the process.
template <class F>
Status Guarded(F&& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kResourceExhausted, "the server has no memory left for this query",
                  PinotCode::kServerResourceLimit);
  } catch (const std::exception& error) {
    return Status::Internal("unexpected: {}", error.what());
  }
}

}  // namespace

LeafExecution::LeafExecution(std::shared_ptr<LeafQuery> query, SegmentSelection segments,
                             Clock::time_point deadline, size_t parallelism_max,
                             std::function<void(LeafOutcome)> done)
    : query_(std::move(query)),
      selection_(std::move(segments)),
      segments_(selection_.segments()),
      deadline_(deadline),
      parallelism_max_(std::max<size_t>(parallelism_max, 1)),
      done_(std::move(done)),
      unfinished_(std::max<size_t>(segments_.size(), 1)) {
  query_->rows_found.store(0);  // of an execution before this one
}

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

// Drops the lane where the segment is at fault: it may have taken in half of it. The others go on,
// so that all such segments are found in one go.
void LeafExecution::Process(size_t index, std::unique_ptr<Lane>& lane) {
  const Status status = Guarded([&] { return lane->Process(*segments_[index]); });
  if (status.ok()) return;
  if (status.IsCorrupt() || status.code() == StatusCode::kUnavailable) {
    lane = nullptr;
    const std::lock_guard lock(mutex_);
    faults_.push_back({segments_[index], status.WithPinotCode(PinotCode::kQueryExecution)});
    return;
  }
  const bool cancelled = status.code() == StatusCode::kCancelled;
  Fail(status.WithPinotCode(cancelled ? PinotCode::kQueryCancelled : PinotCode::kQueryExecution));
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
    if (index < segments_.size() && !lane->Satisfied()) Process(index, lane);
    const std::lock_guard lock(mutex_);
    if (lane) idle_.push_back(std::move(lane));
  }
  if (unfinished_.fetch_sub(1) == 1) Finish();
  return true;
}

void LeafExecution::Finish() {
  LeafOutcome outcome;
  outcome.status = status_;
  if (status_.ok() && !faults_.empty()) {
    outcome.status = faults_.front().status;
    outcome.faults = std::move(faults_);
    outcome.segments = std::move(selection_);
  } else if (status_.ok()) {
    outcome.status = Guarded([&] { return Fold(outcome.block); });
  }
  if (!idle_.empty()) outcome.statistics = idle_[0]->statistics();
  idle_.clear();
  // Taken out first: what it holds may hold this execution, and neither would ever be freed.
  const auto done = std::exchange(done_, nullptr);
  done(std::move(outcome));
}

Status LeafExecution::Fold(Block& answer) {
  for (size_t i = 1; i < idle_.size(); ++i) TRELLIS_RETURN_IF_ERROR(idle_[0]->Absorb(*idle_[i]));
  TRELLIS_ASSIGN_OR_RETURN(answer, idle_.at(0)->Finish());
  return Status::Ok();
}

}  // namespace trellis::server
