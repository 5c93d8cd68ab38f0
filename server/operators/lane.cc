#include "server/operators/lane.h"

#include "server/operators/document_filter.h"

namespace trellis::server {

Result<std::unique_ptr<Lane>> Lane::Create(std::shared_ptr<LeafQuery> query) {
  if (query->stage.explain) return MakeExplainLane(std::move(query));
  return query->stage.shape == plan::QueryShape::kSelection ? MakeSelectionLane(std::move(query))
                                                            : MakeGroupLane(std::move(query));
}

Status Lane::Process(const segment::Segment& segment) {
  const Status status = ProcessUnlessPruned(segment);
  // What was read of a file that lost its end were zeros: no answer, and no other error, is true.
  const Status intact = segment.CheckIntact();
  if (!intact.ok()) return intact;
  // Readers know columns, not always the segment.
  if (status.IsCorrupt() && status.message().find(segment.name()) == std::string::npos)
    return status.WithContext("segment " + segment.name());
  return status;
}

Status Lane::CheckGoesOn(const segment::Segment& segment) const {
  if (query_->cancelled.load(std::memory_order_relaxed))
    return Status::Cancelled("query cancelled");
  return segment.CheckTorn();
}

Status Lane::ProcessUnlessPruned(const segment::Segment& segment) {
  TRELLIS_ASSIGN_OR_RETURN(const bool pruned, PrunedByValue(query_->stage.filter, segment));
  if (pruned) {
    ++statistics_.segments_pruned_by_value;
    return Status::Ok();
  }
  if (!query_->stage.explain) ++statistics_.segments_processed;
  const int64_t before = statistics_.documents_scanned;
  const Status status = ProcessMatching(segment);
  if (statistics_.documents_scanned > before) ++statistics_.segments_matched;
  return status;
}

}  // namespace trellis::server
