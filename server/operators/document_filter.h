#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/plan/filter.h"
#include "server/operators/scan_statistics.h"
#include "server/operators/segment_source.h"

namespace trellis::server {

class FilterKeys;

// One node of a filter compiled for one segment. Three-valued under null handling: a document may
// be selected as TRUE, as FALSE, or as neither.
class FilterNode {
 public:
  virtual ~FilterNode() = default;
  // Appends those of the ascending `docs` for which the node is TRUE (`wanted`) or FALSE (not
  // wanted).
  virtual Status Select(std::span<const uint32_t> docs, bool wanted,
                        std::vector<uint32_t>& out) = 0;
  // TRUE for every document / for none, known without looking at documents.
  virtual bool always_true() const { return false; }
  virtual bool never_true() const { return false; }
  // Exactly the documents for which the node is TRUE, where an index gives them; else null.
  virtual const Roaring* documents() const { return nullptr; }
};

// Compiles `filter` for the source's segment; dictionary predicates are evaluated on the dictionary
// here, once. `entries_scanned` counts values looked at while selecting and must outlive the node.
// `keys`: what the filter shares of MAP columns with others; null: among its own predicates.
Result<std::unique_ptr<FilterNode>> CompileFilter(const plan::Filter& filter, SegmentSource& source,
                                                  bool null_handling, int64_t* entries_scanned,
                                                  std::shared_ptr<FilterKeys> keys = nullptr);

// Calls `visit` with batches of at most `batch_size` ascending documents for which the filter is
// TRUE, every batch but the last full. `visit` returns false to stop early. `filter` null = all
// documents.
Status ForEachMatch(FilterNode* filter, uint32_t document_count, size_t batch_size,
                    const std::function<Result<bool>(std::span<const uint32_t>)>& visit);

// Whether metadata (min/max, bloom filters) proves that no document of the segment matches.
Result<bool> PrunedByValue(const plan::Filter& filter, const segment::Segment& segment);

}  // namespace trellis::server
