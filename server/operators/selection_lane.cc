// SELECT of rows, with and without ORDER BY.
//
// With ORDER BY a lane keeps the best `limit` rows: per segment it collects sort columns and docIds
// of matching documents, cuts them to the best whenever they have grown well past the limit, and
// reads the select columns only of the documents that are left.
#include <algorithm>
#include <numeric>

#include "common/block/row_order.h"
#include "common/column/map_frame.h"
#include "common/eval/evaluator.h"
#include "server/operators/column_count.h"
#include "server/operators/document_filter.h"
#include "server/operators/lane.h"

namespace trellis::server {
namespace {

// Rows collected beyond the limit before they are cut back to it.
constexpr size_t kSlackRows = 10'000;

// MAP and OPEN_STRUCT columns leave the server as JSON text: frames are a disk format. `docs` are
// the rows' documents.
Status FramesToJson(std::span<const uint32_t> docs, ColumnVector& vector) {
  if (!IsMapLike(vector.type())) return Status::Ok();
  ColumnVector text(vector.value_type());
  const auto& frames = vector.values<std::string_view>();
  for (size_t row = 0; row < frames.size(); ++row) {
    const Result<std::string> json = column::MapFrameToJson(frames[row]);
    if (!json.ok()) return json.status().WithContext(fmt::format("docId {}", docs[row]));
    text.values<std::string_view>().push_back(text.arena().Copy(*json));
  }
  text.SetSize(frames.size());
  if (vector.has_nulls()) text.mutable_nulls() = vector.nulls();
  vector = std::move(text);
  return Status::Ok();
}

class SelectionLane : public Lane {
 public:
  static Result<std::unique_ptr<Lane>> Create(std::shared_ptr<LeafQuery> query) {
    auto lane = std::unique_ptr<SelectionLane>(new SelectionLane(std::move(query)));
    const plan::LeafStage& stage = lane->query_->stage;
    const eval::EvaluationContext context{.null_handling = stage.null_handling};
    for (const plan::SortItem& item : stage.order_by) {
      TRELLIS_ASSIGN_OR_RETURN(
          auto evaluator,
          eval::Evaluator::Create(item.expression, eval::Layer::kTransform, context));
      if (evaluator.type().multi_value || IsMapLike(evaluator.type().type)) {
        return Status::Query(PinotCode::kQueryValidation, "cannot ORDER BY {}, which is {}",
                             plan::PrintExpression(item.expression),
                             ValueTypeName(evaluator.type()));
      }
      lane->sort_keys_.push_back({lane->sort_.size(), item.ascending, item.nulls_first});
      lane->sort_.push_back(std::move(evaluator));
    }
    for (const plan::Expression& expression : stage.select) {
      TRELLIS_ASSIGN_OR_RETURN(
          auto evaluator, eval::Evaluator::Create(expression, eval::Layer::kTransform, context));
      lane->select_.push_back(std::move(evaluator));
    }
    lane->CollectReads();
    lane->limit_ = static_cast<size_t>(std::max<int64_t>(stage.limit, 0));
    return std::unique_ptr<Lane>(std::move(lane));
  }

  Status Absorb(Lane& other) override {
    auto& lane = static_cast<SelectionLane&>(other);
    statistics_ += lane.statistics_;
    if (lane.rows_.rows > 0) AppendBlock(rows_, lane.rows_);
    Cut(0);
    return Status::Ok();
  }

  Result<Block> Finish() override {
    if (rows_.columns.empty()) {
      for (const eval::Evaluator& evaluator : sort_) rows_.columns.emplace_back(evaluator.type());
      for (const eval::Evaluator& evaluator : select_) rows_.columns.emplace_back(evaluator.type());
    }
    if (!sort_.empty()) {
      return TakeRows(rows_, SortedRows(rows_, sort_keys_, query_->stage.null_handling, limit_));
    }
    Cut(0);
    return std::move(rows_);
  }

  bool Satisfied() const override {
    if (limit_ == 0) return true;
    return sort_.empty() &&
           query_->rows_found.load(std::memory_order_relaxed) >= static_cast<int64_t>(limit_);
  }

 protected:
  Status ProcessMatching(const segment::Segment& segment) override {
    if (Satisfied()) return Status::Ok();
    const plan::LeafStage& stage = query_->stage;
    SegmentSource source(segment, *query_->schema);
    TRELLIS_ASSIGN_OR_RETURN(auto filter, CompileFilter(stage.filter, source, stage.null_handling,
                                                        &statistics_.entries_scanned_in_filter));
    const Status status = sort_.empty() ? TakeFirst(source, *filter) : TakeBest(source, *filter);
    statistics_.map_reads += source.map_reads();
    return status;
  }

 private:
  // Columns of ORDER BY are read for every matching document, the others for the rows that are
  // kept.
  void CollectReads() {
    std::set<std::string> sorted;
    std::set<std::string> others;
    for (const plan::SortItem& item : query_->stage.order_by) {
      CollectColumns(item.expression, sorted);
      sort_map_keys_.Add(item.expression);
    }
    for (const plan::Expression& expression : query_->stage.select) {
      select_map_keys_.Add(expression);
      const bool is_sort_item =
          std::any_of(query_->stage.order_by.begin(), query_->stage.order_by.end(),
                      [&](const plan::SortItem& item) { return item.expression == expression; });
      if (!is_sort_item) CollectColumns(expression, others);
    }
    sort_columns_ = static_cast<int64_t>(sorted.size());
    other_columns_ = static_cast<int64_t>(others.size());
  }

  explicit SelectionLane(std::shared_ptr<LeafQuery> query) : Lane(std::move(query)) {}

  Status TakeFirst(SegmentSource& source, FilterNode& filter) {
    const size_t batch =
        std::min(select_map_keys_.columns().empty() ? kBatchDocuments : kMapBatchDocuments, limit_);
    return ForEachMatch(
        &filter, source.segment().document_count(), batch,
        [&](std::span<const uint32_t> docs) -> Result<bool> {
          TRELLIS_RETURN_IF_ERROR(CheckGoesOn(source.segment()));
          docs = docs.first(std::min(docs.size(), limit_ - std::min(limit_, rows_.rows)));
          statistics_.documents_scanned += static_cast<int64_t>(docs.size());
          TRELLIS_RETURN_IF_ERROR(AppendSelected(source, docs, {}));
          query_->rows_found.fetch_add(static_cast<int64_t>(docs.size()),
                                       std::memory_order_relaxed);
          return !Satisfied();
        });
  }

  // Sort columns, then one INT column of docIds.
  Status TakeBest(SegmentSource& source, FilterNode& filter) {
    Block best;
    const auto cut = [&](size_t slack) {
      if (best.rows <= limit_ + slack) return;
      best = TakeRows(best, SortedRows(best, sort_keys_, query_->stage.null_handling, limit_));
    };
    TRELLIS_RETURN_IF_ERROR(ForEachMatch(
        &filter, source.segment().document_count(),
        sort_map_keys_.columns().empty() ? kBatchDocuments : kMapBatchDocuments,
        [&](std::span<const uint32_t> docs) -> Result<bool> {
          TRELLIS_RETURN_IF_ERROR(CheckGoesOn(source.segment()));
          statistics_.documents_scanned += static_cast<int64_t>(docs.size());
          statistics_.entries_scanned_post_filter +=
              static_cast<int64_t>(docs.size()) * sort_columns_;
          source.ReadTogether(&sort_map_keys_);
          source.SetDocuments(docs);
          if (best.columns.empty()) {
            for (const eval::Evaluator& evaluator : sort_)
              best.columns.emplace_back(evaluator.type());
            best.columns.emplace_back(DataType::kInt);
          }
          for (size_t i = 0; i < sort_.size(); ++i) {
            TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* vector, sort_[i].Evaluate(source));
            best.columns[i].AppendAll(*vector);
          }
          ColumnVector ids(DataType::kInt);
          ids.values<int32_t>().assign(docs.begin(), docs.end());
          ids.SetSize(docs.size());
          best.columns.back().AppendAll(ids);
          best.rows += docs.size();
          cut(kSlackRows);
          return true;
        }));
    if (best.rows == 0) return Status::Ok();
    cut(0);
    return AppendBest(source, best);
  }

  // Reads the select columns of the documents left, in docId order as readers want them.
  Status AppendBest(SegmentSource& source, const Block& best) {
    std::vector<uint32_t> by_document(best.rows);
    std::iota(by_document.begin(), by_document.end(), 0);
    const auto& ids = best.columns.back().values<int32_t>();
    std::sort(by_document.begin(), by_document.end(),
              [&](uint32_t a, uint32_t b) { return ids[a] < ids[b]; });
    Block ordered = TakeRows(best, by_document);
    const auto& sorted_ids = ordered.columns.back().values<int32_t>();
    const std::vector<uint32_t> docs(sorted_ids.begin(), sorted_ids.end());
    ordered.columns.pop_back();
    for (size_t from = 0; from < docs.size(); from += kBatchDocuments) {
      const size_t n = std::min(kBatchDocuments, docs.size() - from);
      std::vector<uint32_t> some(n);
      std::iota(some.begin(), some.end(), static_cast<uint32_t>(from));
      const Block sort_part = TakeRows(ordered, some);
      TRELLIS_RETURN_IF_ERROR(
          AppendSelected(source, std::span(docs).subspan(from, n), sort_part.columns));
    }
    Cut(kSlackRows);
    return Status::Ok();
  }

  Status AppendSelected(SegmentSource& source, std::span<const uint32_t> docs,
                        std::vector<ColumnVector> sort_columns) {
    if (docs.empty()) return Status::Ok();
    source.ReadTogether(&select_map_keys_);
    source.SetDocuments(docs);
    statistics_.entries_scanned_post_filter += static_cast<int64_t>(docs.size()) * other_columns_;
    Block block;
    block.rows = docs.size();
    block.columns = std::move(sort_columns);
    for (eval::Evaluator& evaluator : select_) {
      TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* vector, evaluator.Evaluate(source));
      block.columns.emplace_back(vector->value_type());
      block.columns.back().AppendAll(*vector);
      // Without null handling a null is its default value; only a NULL literal stays one.
      if (!query_->stage.null_handling && vector->type() != DataType::kUnknown)
        block.columns.back().ClearNulls();
      const Status rendered = FramesToJson(docs, block.columns.back());
      if (!rendered.ok()) {
        return rendered.WithContext(
            fmt::format("column '{}'",
                        plan::PrintExpression(query_->stage.select[&evaluator - select_.data()])));
      }
    }
    AppendBlock(rows_, block);
    return Status::Ok();
  }

  void Cut(size_t slack) {
    if (rows_.rows <= limit_ + slack) return;
    if (sort_.empty()) {
      std::vector<uint32_t> first(limit_);
      std::iota(first.begin(), first.end(), 0);
      rows_ = TakeRows(rows_, first);
    } else {
      rows_ = TakeRows(rows_, SortedRows(rows_, sort_keys_, query_->stage.null_handling, limit_));
    }
  }

  std::vector<eval::Evaluator> sort_;
  std::vector<SortKey> sort_keys_;
  std::vector<eval::Evaluator> select_;
  size_t limit_ = 0;
  int64_t sort_columns_ = 0;
  int64_t other_columns_ = 0;
  MapKeySet sort_map_keys_;
  MapKeySet select_map_keys_;
  Block rows_;  // sort columns, then select columns
};

}  // namespace

Result<std::unique_ptr<Lane>> MakeSelectionLane(std::shared_ptr<LeafQuery> query) {
  return SelectionLane::Create(std::move(query));
}

}  // namespace trellis::server
