#pragma once

#include <memory>
#include <vector>

#include "common/block/block.h"
#include "common/segment/segment.h"
#include "server/operators/leaf_query.h"
#include "server/operators/scan_statistics.h"

namespace trellis::server {

// One of the parallel workers of a leaf stage: takes segments one after the other into its own
// state; the lanes' states are folded into one when no segment is left. One thread at a time.
class Lane {
 public:
  // Picks the lane for the stage's shape. Errors: Query(700) when an expression does not resolve.
  static Result<std::unique_ptr<Lane>> Create(std::shared_ptr<LeafQuery> query);
  virtual ~Lane() = default;

  // Runs the stage over one pinned segment. Corrupt names the segment; a file that was cut short
  // meanwhile is Corrupt, whatever was read of it.
  Status Process(const segment::Segment& segment);
  // Takes over the state of `other`, a lane of the same query.
  virtual Status Absorb(Lane& other) = 0;
  // The lane's answer as one block. Selection: sort columns, then select columns, sorted. EXPLAIN:
  // as MakeExplainLane says. Others: as GroupTable::Export.
  virtual Result<Block> Finish() = 0;
  // True once further segments cannot change the answer.
  virtual bool Satisfied() const { return false; }

  const ScanStatistics& statistics() const { return statistics_; }

 protected:
  explicit Lane(std::shared_ptr<LeafQuery> query) : query_(std::move(query)) {}
  virtual Status ProcessMatching(const segment::Segment& segment) = 0;
  // Once a block. Errors: Cancelled; Corrupt when a file of the segment has lost its end.
  Status CheckGoesOn(const segment::Segment& segment) const;

  std::shared_ptr<LeafQuery> query_;
  ScanStatistics statistics_;

 private:
  Status ProcessUnlessPruned(const segment::Segment& segment);
};

// Documents a batch: Pinot adds sums up in blocks of this many matching documents.
inline constexpr size_t kBatchDocuments = 10'000;
// Of selections that read keys of maps, which add nothing up. A batch holds every inflated chunk
// that it has frames of; 25 MB of them can cost more to take from the system and give back than LZ4
// takes to fill them.
inline constexpr size_t kMapBatchDocuments = 2'048;

// Writes plans instead of rows: a block row for each different plan, with columns LONG (segments
// that have it), STRING[] (texts), INT[] (ids), INT[] (parents' ids).
std::unique_ptr<Lane> MakeExplainLane(std::shared_ptr<LeafQuery> query);
Result<std::unique_ptr<Lane>> MakeGroupLane(std::shared_ptr<LeafQuery> query);
Result<std::unique_ptr<Lane>> MakeSelectionLane(std::shared_ptr<LeafQuery> query);

}  // namespace trellis::server
