#include "server/operators/document_filter.h"

#include <algorithm>

#include "common/column/bitmap_docs.h"
#include "common/column/list_scan.h"
#include "common/predicate/value_matcher.h"
#include "server/operators/dictionary_match.h"
#include "server/operators/expression_filter.h"
#include "server/operators/range_filter.h"

namespace trellis::server {
namespace {

using plan::Filter;
using plan::Predicate;

class ConstantNode : public FilterNode {
 public:
  explicit ConstantNode(bool value) : value_(value) {}
  Status Select(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) override {
    if (value_ == wanted) out.insert(out.end(), docs.begin(), docs.end());
    return Status::Ok();
  }
  bool always_true() const override { return value_; }
  bool never_true() const override { return !value_; }

 private:
  bool value_;
};

// Documents known from an index; `nulls` (may be null) are neither TRUE nor FALSE.
class BitmapNode : public FilterNode {
 public:
  BitmapNode(Roaring documents, const Roaring* nulls)
      : documents_(std::move(documents)), nulls_(nulls) {
    if (nulls_) documents_ -= *nulls_;
  }
  Status Select(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) override {
    if (docs.empty()) return Status::Ok();
    auto it = documents_.begin();
    it.equalorlarger(docs.front());
    const auto end = documents_.end();
    for (const uint32_t doc : docs) {
      while (it != end && *it < doc) ++it;
      const bool in = it != end && *it == doc;
      if (in == wanted && (in || !nulls_ || !nulls_->contains(doc))) out.push_back(doc);
    }
    return Status::Ok();
  }
  bool never_true() const override { return documents_.isEmpty(); }
  const Roaring* documents() const override { return &documents_; }

 private:
  Roaring documents_;
  const Roaring* nulls_;
};

class AndOrNode : public FilterNode {
 public:
  AndOrNode(bool is_and, std::vector<std::unique_ptr<FilterNode>> children)
      : is_and_(is_and), children_(std::move(children)) {}

  Status Select(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) override {
    // AND is TRUE, or OR is FALSE, where every child agrees; otherwise where any does.
    return is_and_ == wanted ? SelectAll(docs, wanted, out) : SelectAny(docs, wanted, out);
  }

 private:
  Status SelectAll(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) {
    std::vector<uint32_t> left(docs.begin(), docs.end());
    std::vector<uint32_t> next;
    for (const auto& child : children_) {
      next.clear();
      TRELLIS_RETURN_IF_ERROR(child->Select(left, wanted, next));
      left.swap(next);
      if (left.empty()) break;
    }
    out.insert(out.end(), left.begin(), left.end());
    return Status::Ok();
  }

  Status SelectAny(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) {
    std::vector<uint32_t> rest(docs.begin(), docs.end());
    std::vector<uint32_t> found;
    for (const auto& child : children_) {
      std::vector<uint32_t> some;
      TRELLIS_RETURN_IF_ERROR(child->Select(rest, wanted, some));
      if (some.empty()) continue;
      std::vector<uint32_t> left;
      std::set_difference(rest.begin(), rest.end(), some.begin(), some.end(),
                          std::back_inserter(left));
      rest.swap(left);
      std::vector<uint32_t> merged;
      std::merge(found.begin(), found.end(), some.begin(), some.end(), std::back_inserter(merged));
      found.swap(merged);
    }
    out.insert(out.end(), found.begin(), found.end());
    return Status::Ok();
  }

  bool is_and_;
  std::vector<std::unique_ptr<FilterNode>> children_;
};

class NotNode : public FilterNode {
 public:
  explicit NotNode(std::unique_ptr<FilterNode> child) : child_(std::move(child)) {}
  Status Select(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) override {
    return child_->Select(docs, !wanted, out);
  }

 private:
  std::unique_ptr<FilterNode> child_;
};

// Reads dictIds and looks each up in the predicate's answer for it.
class DictionaryScanNode : public FilterNode {
 public:
  DictionaryScanNode(OpenColumn& open, std::vector<uint8_t> matches, bool negated,
                     const Roaring* nulls, int64_t* scanned)
      : open_(open),
        matches_(std::move(matches)),
        negated_(negated),
        nulls_(nulls),
        scanned_(scanned) {}

  Status Select(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) override {
    const column::ForwardIndexReader& forward = open_.column->forward();
    TRELLIS_RETURN_IF_ERROR(open_.ReadDictIds(docs, ids_, &offsets_));
    *scanned_ += static_cast<int64_t>(ids_.size());
    for (const uint32_t id : ids_) {
      if (id >= matches_.size()) {
        return Status::Corrupt("column {}: dictId {} of {}", open_.column->field().name, id,
                               matches_.size());
      }
    }
    const size_t before = out.size();
    out.resize(before + docs.size());
    size_t kept = before;
    const bool flip = negated_ != !wanted;  // select where (any match) != flip
    if (!forward.is_multi_value()) {
      for (size_t i = 0; i < docs.size(); ++i) {
        out[kept] = docs[i];
        kept += (matches_[ids_[i]] != 0) != flip;
      }
    } else {
      for (size_t i = 0; i < docs.size(); ++i) {
        bool any = false;
        for (uint32_t v = offsets_[i]; v < offsets_[i + 1]; ++v) any |= matches_[ids_[v]] != 0;
        out[kept] = docs[i];
        kept += any != flip;
      }
    }
    out.resize(kept);
    if (nulls_) {
      out.erase(std::remove_if(out.begin() + static_cast<ptrdiff_t>(before), out.end(),
                               [&](uint32_t doc) { return nulls_->contains(doc); }),
                out.end());
    }
    return Status::Ok();
  }

 private:
  OpenColumn& open_;
  std::vector<uint8_t> matches_;
  bool negated_;
  const Roaring* nulls_;
  int64_t* scanned_;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> offsets_;
};

class Compiler {
 public:
  Compiler(const Filter& filter, SegmentSource& source, bool null_handling, int64_t* scanned,
           std::shared_ptr<FilterKeys> keys)
      : source_(source),
        null_handling_(null_handling),
        scanned_(scanned),
        candidates_(source.segment().document_count()) {
    if (!keys) keys = std::make_shared<FilterKeys>(filter, source);
    if (keys->SharesAny()) keys_ = std::move(keys);
  }

  Result<std::unique_ptr<FilterNode>> Compile(const Filter& filter) {
    switch (filter.kind) {
      case Filter::Kind::kTrue:
        return Constant(true);
      case Filter::Kind::kFalse:
        return Constant(false);
      case Filter::Kind::kNot: {
        TRELLIS_ASSIGN_OR_RETURN(auto child, Compile(filter.children.at(0)));
        if (child->always_true()) return Constant(false);
        return std::unique_ptr<FilterNode>(std::make_unique<NotNode>(std::move(child)));
      }
      case Filter::Kind::kAnd:
      case Filter::Kind::kOr:
        return CompileAndOr(filter);
      case Filter::Kind::kPredicate:
        return CompilePredicate(filter.predicate);
    }
    return Status::Internal("filter of unknown kind");
  }

 private:
  static std::unique_ptr<FilterNode> Constant(bool value) {
    return std::make_unique<ConstantNode>(value);
  }

  Result<std::unique_ptr<FilterNode>> CompileAndOr(const Filter& filter) {
    const uint64_t candidates = candidates_;
    auto node = CompileChildren(filter);
    candidates_ = candidates;
    return node;
  }

  // The children of an AND with ranges last: how many documents the others leave tells whether an
  // index is worth its walk.
  static std::vector<const Filter*> InOrder(const Filter& filter) {
    std::vector<const Filter*> children;
    for (const Filter& child : filter.children) children.push_back(&child);
    if (filter.kind == Filter::Kind::kAnd) {
      std::stable_partition(children.begin(), children.end(), [](const Filter* child) {
        return child->kind == Filter::Kind::kPredicate &&
               child->predicate.kind != Predicate::Kind::kRange;
      });
    }
    return children;
  }

  Result<std::unique_ptr<FilterNode>> CompileChildren(const Filter& filter) {
    const bool is_and = filter.kind == Filter::Kind::kAnd;
    const bool makes_pieces = keys_ && keys_->makes_batches() && !std::exchange(in_pieces_, true);
    std::vector<std::unique_ptr<FilterNode>> indexed;
    std::vector<std::unique_ptr<FilterNode>> scans;
    for (const Filter* child : InOrder(filter)) {
      TRELLIS_ASSIGN_OR_RETURN(auto node, Compile(*child));
      if (is_and && node->documents())
        candidates_ = std::min(candidates_, node->documents()->cardinality());
      if (is_and && node->always_true()) continue;
      if (!is_and && node->always_true()) return Constant(true);
      // A never-true child decides an AND, but its FALSE and unknown documents differ under null
      // handling, which matters only below a NOT; without null handling it is simply FALSE.
      if (node->never_true() && !null_handling_) {
        if (is_and) return Constant(false);
        continue;
      }
      (node->documents() ? indexed : scans).push_back(std::move(node));
    }
    if (makes_pieces) GatherInPieces(is_and, scans);
    for (auto& node : scans) indexed.push_back(std::move(node));  // cheap ones first
    if (indexed.empty()) return Constant(is_and);
    if (indexed.size() == 1) return std::move(indexed[0]);
    if (std::all_of(indexed.begin(), indexed.end(),
                    [](const auto& n) { return n->documents() != nullptr; }) &&
        !null_handling_) {
      Roaring all = *indexed[0]->documents();
      for (size_t i = 1; i < indexed.size(); ++i) {
        if (is_and)
          all &= *indexed[i]->documents();
        else
          all |= *indexed[i]->documents();
      }
      return std::unique_ptr<FilterNode>(std::make_unique<BitmapNode>(std::move(all), nullptr));
    }
    return std::unique_ptr<FilterNode>(std::make_unique<AndOrNode>(is_and, std::move(indexed)));
  }

  // The scans of the topmost AND or OR look at the same documents in turn, so that what one of them
  // read of a MAP is there for the others.
  void GatherInPieces(bool is_and, std::vector<std::unique_ptr<FilterNode>>& scans) const {
    if (scans.empty()) return;
    std::unique_ptr<FilterNode> together = std::move(scans[0]);
    if (scans.size() > 1) {
      scans[0] = std::move(together);
      together = std::make_unique<AndOrNode>(is_and, std::move(scans));
    }
    scans.clear();
    scans.push_back(MakePieceNode(std::move(together), keys_));
  }

  Result<std::unique_ptr<FilterNode>> CompilePredicate(const Predicate& predicate) {
    if (predicate.kind == Predicate::Kind::kIsNull ||
        predicate.kind == Predicate::Kind::kIsNotNull) {
      return CompileNullTest(predicate);
    }
    TRELLIS_ASSIGN_OR_RETURN(OpenColumn * open, source_.StoredColumn(predicate.subject));
    const segment::Column* column = open ? open->column.get() : nullptr;
    if (column && column->dictionary() &&
        (column->forward().is_dictionary_encoded() || column->inverted())) {
      TRELLIS_ASSIGN_OR_RETURN(auto node, CompileDictionary(predicate, *open));
      if (node) return node;
    }
    TRELLIS_ASSIGN_OR_RETURN(auto matcher, ValueMatcher::Create(predicate));
    TRELLIS_ASSIGN_OR_RETURN(auto evaluator,
                             eval::Evaluator::Create(predicate.subject, eval::Layer::kTransform,
                                                     {.null_handling = null_handling_}));
    std::optional<index::RangeAnswer> answer;
    if (column && IsWorthAWalk()) {
      TRELLIS_ASSIGN_OR_RETURN(answer, AskRangeIndex(*column, *matcher));
    }
    const bool negated = matcher->negated();
    auto keys = keys_ && keys_->SharesOf(predicate.subject) ? keys_ : nullptr;
    return Completed(answer, negated, column ? NullsOf(*column) : nullptr,
                     MakeExpressionNode(source_, std::move(evaluator), std::move(matcher),
                                        null_handling_, scanned_, std::move(keys)));
  }

  const Roaring* NullsOf(const segment::Column& column) const {
    return null_handling_ ? column.null_documents() : nullptr;
  }

  // A range index is walked whole; a scan looks at the documents that the rest of an AND leaves.
  bool IsWorthAWalk() const {
    constexpr uint64_t kWalkedForOneScanned = 16;
    return candidates_ >= source_.segment().document_count() / kWalkedForOneScanned;
  }

  // `scan`, or the documents it would select where a range index gave an answer.
  Result<std::unique_ptr<FilterNode>> Completed(const std::optional<index::RangeAnswer>& answer,
                                                bool negated, const Roaring* nulls,
                                                std::unique_ptr<FilterNode> scan) {
    if (!answer) return Result<std::unique_ptr<FilterNode>>(std::move(scan));
    TRELLIS_ASSIGN_OR_RETURN(
        Roaring documents,
        TrueDocuments(*answer, negated, source_.segment().document_count(), *scan));
    return std::unique_ptr<FilterNode>(std::make_unique<BitmapNode>(std::move(documents), nulls));
  }

  Result<std::unique_ptr<FilterNode>> CompileNullTest(const Predicate& predicate) {
    Roaring nulls;
    TRELLIS_RETURN_IF_ERROR(source_.CollectNulls(predicate.subject, nulls));
    auto node = std::make_unique<BitmapNode>(std::move(nulls), nullptr);
    if (predicate.kind == Predicate::Kind::kIsNull)
      return std::unique_ptr<FilterNode>(std::move(node));
    if (node->never_true()) return Constant(true);
    return std::unique_ptr<FilterNode>(std::make_unique<NotNode>(std::move(node)));
  }

  // Null where a raw column's indexes do not answer the predicate.
  Result<std::unique_ptr<FilterNode>> CompileDictionary(const Predicate& predicate,
                                                        OpenColumn& open) {
    const segment::Column& column = *open.column;
    TRELLIS_ASSIGN_OR_RETURN(auto matcher, ValueMatcher::Create(predicate));
    std::vector<uint8_t> matches;
    TRELLIS_ASSIGN_OR_RETURN(const size_t count,
                             MatchDictionary(*matcher, *column.dictionary(), matches));
    const Roaring* nulls = NullsOf(column);
    if (count == 0 || count == matches.size()) {
      const bool value = (count != 0) != matcher->negated();
      if (!nulls) return Constant(value);
      Roaring documents;
      if (value) documents.addRange(0, source_.segment().document_count());
      return std::unique_ptr<FilterNode>(std::make_unique<BitmapNode>(std::move(documents), nulls));
    }
    TRELLIS_ASSIGN_OR_RETURN(auto documents, FromIndexes(column, matches, count, predicate.kind));
    if (!documents && !column.forward().is_dictionary_encoded())
      return std::unique_ptr<FilterNode>();
    if (!documents) {
      std::optional<index::RangeAnswer> answer;
      if (IsWorthAWalk()) {
        TRELLIS_ASSIGN_OR_RETURN(answer, AskRangeIndex(column, matches, predicate.kind));
      }
      return Completed(answer, matcher->negated(), nulls,
                       std::make_unique<DictionaryScanNode>(open, std::move(matches),
                                                            matcher->negated(), nulls, scanned_));
    }
    if (matcher->negated()) documents->flip(0, source_.segment().document_count());
    return std::unique_ptr<FilterNode>(std::make_unique<BitmapNode>(std::move(*documents), nulls));
  }

  // The documents of the matching dictIds, from the sorted or inverted index; nullopt where a scan
  // is due.
  Result<std::optional<Roaring>> FromIndexes(const segment::Column& column,
                                             const std::vector<uint8_t>& matches, size_t count,
                                             Predicate::Kind kind) {
    const bool sorted = column.forward().is_sorted();
    // Beyond this many bitmaps a scan of the forward index is cheaper than their union.
    constexpr size_t kBitmapsMax = 256;
    if (!sorted && (!column.inverted() || kind == Predicate::Kind::kRange || count > kBitmapsMax)) {
      return std::optional<Roaring>();
    }
    Roaring documents;
    for (uint32_t id = 0; id < matches.size(); ++id) {
      if (!matches[id]) continue;
      if (sorted) {
        TRELLIS_ASSIGN_OR_RETURN(const auto range, column.forward().DocRange(id));
        documents.addRange(range.first, uint64_t{range.second} + 1);
      } else {
        TRELLIS_ASSIGN_OR_RETURN(const Roaring some, column.inverted()->Documents(id));
        documents |= some;
      }
    }
    return std::optional<Roaring>(std::move(documents));
  }

  SegmentSource& source_;
  bool null_handling_;
  int64_t* scanned_;
  uint64_t candidates_;  // documents that the ANDs around the node to be made leave, at most
  std::shared_ptr<FilterKeys> keys_;  // null where no two predicates read one MAP
  bool in_pieces_ = false;            // below the topmost AND or OR
};

// Hands on batches of exactly `size_` documents.
class Batcher {
 public:
  Batcher(size_t size, const std::function<Result<bool>(std::span<const uint32_t>)>& visit)
      : size_(size), visit_(visit) {}
  std::vector<uint32_t>& pending() { return pending_; }
  // Visits what is due; returns false once the visitor wants no more.
  Result<bool> Flush(bool all) {
    size_t from = 0;
    while (pending_.size() - from >= size_ || (all && from < pending_.size())) {
      const size_t n = std::min(size_, pending_.size() - from);
      TRELLIS_ASSIGN_OR_RETURN(const bool more, visit_(std::span(pending_).subspan(from, n)));
      if (!more) return false;
      from += n;
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(from));
    return true;
  }

 private:
  size_t size_;
  const std::function<Result<bool>(std::span<const uint32_t>)>& visit_;
  std::vector<uint32_t> pending_;
};

}  // namespace

Result<std::unique_ptr<FilterNode>> CompileFilter(const Filter& filter, SegmentSource& source,
                                                  bool null_handling, int64_t* entries_scanned,
                                                  std::shared_ptr<FilterKeys> keys) {
  return Compiler(filter, source, null_handling, entries_scanned, std::move(keys)).Compile(filter);
}

Status ForEachMatch(FilterNode* filter, uint32_t document_count, size_t batch_size,
                    const std::function<Result<bool>(std::span<const uint32_t>)>& visit) {
  if (filter && filter->never_true()) return Status::Ok();
  Batcher batcher(batch_size, visit);
  if (filter && filter->documents()) {
    column::BitmapDocs documents(*filter->documents(), batch_size);
    for (auto docs = documents.Next(); !docs.empty(); docs = documents.Next()) {
      TRELLIS_ASSIGN_OR_RETURN(const bool more, visit(docs));
      if (!more) break;
    }
    return Status::Ok();
  }
  std::vector<uint32_t> docs;
  for (uint32_t from = 0; from < document_count; from += static_cast<uint32_t>(docs.size())) {
    docs.resize(std::min<size_t>(batch_size, document_count - from));
    column::FillRange(from, docs);
    bool more = true;
    if (!filter || filter->always_true()) {
      TRELLIS_ASSIGN_OR_RETURN(more, visit(docs));
    } else {
      TRELLIS_RETURN_IF_ERROR(filter->Select(docs, true, batcher.pending()));
      TRELLIS_ASSIGN_OR_RETURN(more, batcher.Flush(false));
    }
    if (!more) return Status::Ok();
  }
  return batcher.Flush(true).status();
}

}  // namespace trellis::server
