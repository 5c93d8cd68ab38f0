#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "common/block/block.h"
#include "server/execute/scheduler.h"
#include "server/inventory/table_inventory.h"
#include "server/operators/lane.h"

namespace trellis::server {

// A segment whose bytes turned out not to be what they say, or that cannot be had any more.
struct SegmentFault {
  const segment::Segment* segment;  // one of the selection
  Status status;
};

// How a leaf stage ended: its rows, or why there are none.
struct LeafOutcome {
  Status status;
  // With these `status` is the first one's. They are all of the list that were found: the stage can
  // be run again over the others.
  std::vector<SegmentFault> faults;
  SegmentSelection segments;  // with faults: what was run, handed back
  Block block;
  ScanStatistics statistics;
};

// One leaf stage over its pinned segments, run by the scheduler's threads. Lanes are handed from
// step to step; the thread that finishes the last segment folds them together and reports. Created
// by StartLeafExecution; keeps itself alive through the scheduler until it has reported.
class LeafExecution : public Work {
 public:
  using Clock = std::chrono::steady_clock;
  // `segments` stay pinned for as long as this lives. One execution of a query at a time. `done` is
  // called exactly once, on a scheduler thread.
  LeafExecution(std::shared_ptr<LeafQuery> query, SegmentSelection segments,
                Clock::time_point deadline, size_t parallelism_max,
                std::function<void(LeafOutcome)> done);

  bool RunStep() override;
  size_t parallelism_max() const override { return parallelism_max_; }
  // Ends the execution at the next batch with CANCELLED. Thread-safe.
  void Cancel();

 private:
  void Fail(Status status);
  void Process(size_t index, std::unique_ptr<Lane>& lane);
  std::unique_ptr<Lane> TakeLane();
  void Finish();
  Status Fold(Block& answer);

  std::shared_ptr<LeafQuery> query_;
  SegmentSelection selection_;
  std::span<const segment::Segment* const> segments_;  // of selection_
  Clock::time_point deadline_;
  size_t parallelism_max_;
  std::function<void(LeafOutcome)> done_;
  std::atomic<size_t> next_{0};
  std::atomic<size_t> unfinished_;  // steps that have not ended yet

  std::mutex mutex_;
  Status status_;
  std::vector<SegmentFault> faults_;
  std::vector<std::unique_ptr<Lane>> idle_;
};

}  // namespace trellis::server
