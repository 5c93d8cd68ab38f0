#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/eval/evaluator.h"
#include "common/predicate/value_matcher.h"
#include "common/vector/batch_size.h"
#include "server/operators/document_filter.h"
#include "server/operators/map_keys.h"

namespace trellis::server {

// What the predicates of one filter read of MAP columns, once for all of them: the frames of the
// documents that one of them looks at, and the keys in them. Predicates that look at some of these
// documents get their rows of it; others start a batch of their own. Keys are found together while
// enough documents of a batch are asked for them: behind a predicate that few documents pass, a key
// is read for those alone. One thread at a time.
class FilterKeys {
 public:
  // `filter` is the whole filter: what its predicates read. `source` counts the reads.
  FilterKeys(const plan::Filter& filter, SegmentSource& source);
  // For filters that are asked about documents of `source`'s batches only, after these have begun:
  // they share what `projected` says that is read of the batches, and what each other reads. The
  // source must outlive the last read.
  FilterKeys(const MapKeySet& projected, std::span<const plan::Filter* const> filters,
             SegmentSource& source);

  // Whether batches are begun here, and may be as small as their bytes demand.
  bool makes_batches() const { return own_ != nullptr; }
  // Whether several predicates read keys of the MAP column `column`, of any, of one that
  // `expression` reads.
  bool Shares(std::string_view column) const;
  bool SharesAny() const;
  bool SharesOf(const plan::Expression& expression) const;
  // A key of each of the ascending `docs`: a vector of the batch's, or `own` filled. Valid until
  // the next call with documents outside of the batch.
  Result<const ColumnVector*> Read(std::span<const uint32_t> docs, std::string_view column,
                                   std::string_view key, DataType type, ColumnVector& own);

  // Tells of bytes that a predicate read beside what is read here.
  void AddBytes(uint64_t bytes) { bytes_ += bytes; }
  // All bytes read since the last call, for the size of the next batch. Whoever asks looks at no
  // document of this batch again.
  uint64_t TakeBytes();

 private:
  struct Usage {
    size_t asked = 0;  // documents of the batch whose value was asked for
    bool together = true;
  };
  void Count(const plan::Filter& filter);
  void Start(std::span<const uint32_t> docs);
  // Sets rows_ to where `docs` are among the batch's documents; false if not all are.
  bool Locate(std::span<const uint32_t> docs);
  Usage& UsageOf(std::string_view column, std::string_view key, DataType type);

  void CountReader(std::string_view column);

  std::unique_ptr<SegmentSource> own_;  // null: the batches are somebody else's
  SegmentSource& source_;
  std::map<std::string, int, std::less<>> predicates_;  // that read keys of a MAP column
  MapKeySet keys_;                                      // of these columns
  MapKeySet together_;  // those of keys_ that the batch reads in one walk
  std::map<std::string, Usage, std::less<>> usage_;
  std::vector<uint32_t> documents_;
  std::vector<uint32_t> rows_;
  uint64_t bytes_ = 0;
  bool counted_ = true;  // the bytes of the batch itself
};

// Evaluates an expression (a raw column is the simplest one) and tests its values. `keys` may be
// null; else it outlives the node, and whoever asks the node bounds the documents of a call.
std::unique_ptr<FilterNode> MakeExpressionNode(SegmentSource& source, eval::Evaluator evaluator,
                                               std::shared_ptr<const ValueMatcher> matcher,
                                               bool null_handling, int64_t* scanned,
                                               std::shared_ptr<FilterKeys> keys);

// Asks `child` about a number of documents at a time that `keys` and the nodes below read at once.
std::unique_ptr<FilterNode> MakePieceNode(std::unique_ptr<FilterNode> child,
                                          std::shared_ptr<FilterKeys> keys);

}  // namespace trellis::server
