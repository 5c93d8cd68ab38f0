#include "server/operators/expression_filter.h"

#include <algorithm>
#include <deque>

namespace trellis::server {

FilterKeys::FilterKeys(const plan::Filter& filter, SegmentSource& source)
    : own_(std::make_unique<SegmentSource>(source.segment(), source.schema())), source_(*own_) {
  own_->CountInto(source);
  Count(filter);
}

FilterKeys::FilterKeys(const MapKeySet& projected, std::span<const plan::Filter* const> filters,
                       SegmentSource& source)
    : source_(source) {
  for (const std::string_view column : projected.columns()) CountReader(column);
  for (const plan::Filter* filter : filters) Count(*filter);
}

void FilterKeys::CountReader(std::string_view column) {
  const segment::ColumnMetadata* stored = source_.segment().metadata().Find(column);
  if (stored && stored->field.type == DataType::kMap) ++predicates_[std::string(column)];
}

void FilterKeys::Count(const plan::Filter& filter) {
  for (const plan::Filter& child : filter.children) Count(child);
  if (filter.kind != plan::Filter::Kind::kPredicate) return;
  MapKeySet read;
  read.Add(filter);
  for (const std::string_view column : read.columns()) {
    CountReader(column);
    if (!predicates_.contains(column)) continue;
    for (const MapKeySet::Key& key : read.KeysOf(column)) keys_.Add(column, key.key, key.type);
  }
}

bool FilterKeys::Shares(std::string_view column) const {
  const auto found = predicates_.find(column);
  return found != predicates_.end() && found->second > 1;
}

bool FilterKeys::SharesAny() const {
  return std::any_of(predicates_.begin(), predicates_.end(),
                     [](const auto& column) { return column.second > 1; });
}

bool FilterKeys::SharesOf(const plan::Expression& expression) const {
  MapKeySet read;
  read.Add(expression);
  const auto columns = read.columns();
  return std::any_of(columns.begin(), columns.end(),
                     [this](std::string_view column) { return Shares(column); });
}

FilterKeys::Usage& FilterKeys::UsageOf(std::string_view column, std::string_view key,
                                       DataType type) {
  return usage_[MapKeyId(column, key, type)];
}

void FilterKeys::Start(std::span<const uint32_t> docs) {
  // A walk that goes on to a further key costs about as much as a fourth of one of its own.
  constexpr size_t kOneInDocuments = 4;
  if (!counted_) bytes_ += source_.batch_bytes();
  counted_ = false;
  together_.Clear();
  for (const std::string_view column : keys_.columns()) {
    for (const MapKeySet::Key& key : keys_.KeysOf(column)) {
      Usage& usage = UsageOf(column, key.key, key.type);
      if (!documents_.empty()) usage.together = usage.asked * kOneInDocuments >= documents_.size();
      usage.asked = 0;
      if (usage.together) together_.Add(column, key.key, key.type);
    }
  }
  source_.ReadTogether(&together_);
  documents_.assign(docs.begin(), docs.end());
  source_.SetDocuments(documents_);
}

bool FilterKeys::Locate(std::span<const uint32_t> docs) {
  rows_.clear();
  const std::span<const uint32_t> batch = source_.documents();
  auto at = batch.begin();
  for (const uint32_t doc : docs) {
    at = std::lower_bound(at, batch.end(), doc);
    if (at == batch.end() || *at != doc) return false;
    rows_.push_back(static_cast<uint32_t>(at - batch.begin()));
  }
  return true;
}

Result<const ColumnVector*> FilterKeys::Read(std::span<const uint32_t> docs,
                                             std::string_view column, std::string_view key,
                                             DataType type, ColumnVector& own) {
  if (own_ != nullptr && !Locate(docs)) Start(docs);
  TRELLIS_CHECK(Locate(docs));
  Usage& usage = UsageOf(column, key, type);
  usage.asked += docs.size();
  const bool all = docs.size() == source_.rows();
  if (all || usage.together) {
    const Result<const ColumnVector*> values = source_.MapKey(column, key, type);
    if (all) return values;
    if (values.ok()) {
      TakeViews(**values, rows_, own);
      return static_cast<const ColumnVector*>(&own);
    }
    // It may be that only documents that nobody asks about have a value that is none.
  }
  TRELLIS_RETURN_IF_ERROR(source_.ReadKeyOfRows(rows_, docs, column, {key, type, &own}));
  return static_cast<const ColumnVector*>(&own);
}

uint64_t FilterKeys::TakeBytes() {
  const uint64_t bytes = bytes_ + (counted_ ? 0 : source_.batch_bytes());
  bytes_ = 0;
  counted_ = true;
  return bytes;
}

namespace {

// The columns of one predicate's documents; keys that others read too come from FilterKeys.
class PredicateSource : public SegmentSource {
 public:
  PredicateSource(SegmentSource& parent, const plan::Expression& subject,
                  std::shared_ptr<FilterKeys> keys)
      : SegmentSource(parent.segment(), parent.schema()), keys_(std::move(keys)) {
    CountInto(parent);
    read_.Add(subject);
    ReadTogether(&read_);
  }

  void SetPiece(std::span<const uint32_t> docs) {
    SetDocuments(docs);
    own_.clear();
  }

  Result<const ColumnVector*> MapKey(std::string_view column, std::string_view key,
                                     DataType type) override {
    if (!keys_ || !keys_->Shares(column)) return SegmentSource::MapKey(column, key, type);
    return keys_->Read(documents(), column, key, type, own_.emplace_back());
  }

 private:
  MapKeySet read_;
  std::shared_ptr<FilterKeys> keys_;
  std::deque<ColumnVector> own_;
};

class ExpressionNode : public FilterNode {
 public:
  ExpressionNode(SegmentSource& source, eval::Evaluator evaluator,
                 std::shared_ptr<const ValueMatcher> matcher, bool null_handling, int64_t* scanned,
                 std::shared_ptr<FilterKeys> keys)
      : keys_(std::move(keys)),
        source_(source, matcher->predicate().subject, keys_),
        evaluator_(std::move(evaluator)),
        matcher_(std::move(matcher)),
        null_handling_(null_handling),
        scanned_(scanned) {}

  Status Select(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) override {
    if (keys_) {
      TRELLIS_RETURN_IF_ERROR(SelectPiece(docs, wanted, out));
      keys_->AddBytes(source_.batch_bytes());
      return Status::Ok();
    }
    // The values may be of any length; rows are selected one by one, however many are read at once.
    while (docs.size() > size_.rows()) {
      TRELLIS_RETURN_IF_ERROR(SelectPiece(docs.first(size_.rows()), wanted, out));
      docs = docs.subspan(source_.rows());
      size_.Took(static_cast<uint32_t>(source_.rows()), source_.batch_bytes());
    }
    TRELLIS_RETURN_IF_ERROR(SelectPiece(docs, wanted, out));
    if (!docs.empty()) size_.Took(static_cast<uint32_t>(docs.size()), source_.batch_bytes());
    return Status::Ok();
  }

 private:
  Status SelectPiece(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) {
    source_.SetPiece(docs);
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* vector, evaluator_.Evaluate(source_));
    *scanned_ += static_cast<int64_t>(docs.size());
    matcher_->MatchFlat(*vector, matches_);
    const bool flip = matcher_->negated() != !wanted;
    for (size_t i = 0; i < docs.size(); ++i) {
      if (null_handling_ && vector->is_null(i)) continue;
      bool any = false;
      if (vector->is_multi_value()) {
        for (uint32_t v = vector->offsets()[i]; v < vector->offsets()[i + 1]; ++v)
          any |= matches_[v] != 0;
      } else {
        any = matches_[vector->is_constant() ? 0 : i] != 0;
      }
      if (any != flip) out.push_back(docs[i]);
    }
    return Status::Ok();
  }

  std::shared_ptr<FilterKeys> keys_;
  PredicateSource source_;  // its own: the filter's batches are not the projection's
  BatchSize size_{std::numeric_limits<uint32_t>::max()};
  eval::Evaluator evaluator_;
  std::shared_ptr<const ValueMatcher> matcher_;
  bool null_handling_;
  int64_t* scanned_;
  std::vector<uint8_t> matches_;
};

class PieceNode : public FilterNode {
 public:
  PieceNode(std::unique_ptr<FilterNode> child, std::shared_ptr<FilterKeys> keys)
      : child_(std::move(child)), keys_(std::move(keys)) {}

  Status Select(std::span<const uint32_t> docs, bool wanted, std::vector<uint32_t>& out) override {
    while (!docs.empty()) {
      const auto piece = docs.first(std::min<size_t>(docs.size(), size_.rows()));
      TRELLIS_RETURN_IF_ERROR(child_->Select(piece, wanted, out));
      size_.Took(static_cast<uint32_t>(piece.size()), keys_->TakeBytes());
      docs = docs.subspan(piece.size());
    }
    return Status::Ok();
  }

 private:
  std::unique_ptr<FilterNode> child_;
  std::shared_ptr<FilterKeys> keys_;
  BatchSize size_{std::numeric_limits<uint32_t>::max()};
};

}  // namespace

std::unique_ptr<FilterNode> MakeExpressionNode(SegmentSource& source, eval::Evaluator evaluator,
                                               std::shared_ptr<const ValueMatcher> matcher,
                                               bool null_handling, int64_t* scanned,
                                               std::shared_ptr<FilterKeys> keys) {
  return std::make_unique<ExpressionNode>(source, std::move(evaluator), std::move(matcher),
                                          null_handling, scanned, std::move(keys));
}

std::unique_ptr<FilterNode> MakePieceNode(std::unique_ptr<FilterNode> child,
                                          std::shared_ptr<FilterKeys> keys) {
  return std::make_unique<PieceNode>(std::move(child), std::move(keys));
}

}  // namespace trellis::server
