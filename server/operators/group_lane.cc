// Aggregation, GROUP BY and DISTINCT over segments.
//
// Keys of dictionary columns are grouped by their dictIds: a row's ids make one number, and an
// array or map kept for the segment turns that number into the lane's group, so that a key's values
// are looked at once a segment. Other keys, and multi-value ones, go through their values.
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <numeric>

#include "common/eval/evaluator.h"
#include "common/grouping/group_table.h"
#include "server/operators/column_count.h"
#include "server/operators/document_filter.h"
#include "server/operators/expression_filter.h"
#include "server/operators/lane.h"

namespace trellis::server {
namespace {

// Turns the dictIds of several key columns into groups, for one segment.
class DictionaryKeys {
 public:
  // Usable only if every key is a single-value dictionary column and the combined ids fit 63 bits.
  static Result<std::optional<DictionaryKeys>> Create(SegmentSource& source,
                                                      const std::vector<plan::Expression>& keys,
                                                      bool null_handling) {
    DictionaryKeys made;
    made.null_handling_ = null_handling;
    double product = 1;
    for (const plan::Expression& key : keys) {
      TRELLIS_ASSIGN_OR_RETURN(OpenColumn * open, source.StoredColumn(key));
      if (!open || !open->column->dictionary() ||
          !open->column->forward().is_dictionary_encoded() ||
          open->column->forward().is_multi_value()) {
        return std::optional<DictionaryKeys>();
      }
      made.columns_.push_back(open);
      product *= static_cast<double>(open->column->dictionary()->size() + 1);
    }
    if (product > 9e18) return std::optional<DictionaryKeys>();
    // An array is worth clearing only where there are documents enough to look into it.
    constexpr double kDenseMax = 1 << 20;
    constexpr double kDensePerDocument = 8;
    if (product <= std::min(kDenseMax, kDensePerDocument * source.segment().document_count()))
      made.dense_.assign(static_cast<size_t>(product), kUnknown);
    return std::optional<DictionaryKeys>(std::move(made));
  }

  Status Groups(SegmentSource& source, GroupTable& table, std::vector<uint32_t>& groups) {
    const size_t rows = source.rows();
    combined_.assign(rows, 0);
    for (OpenColumn* open : columns_) {
      TRELLIS_RETURN_IF_ERROR(source.ReadDictIds(*open, ids_));
      const uint64_t radix = open->column->dictionary()->size() + 1;
      for (size_t i = 0; i < rows; ++i) {
        if (ids_[i] >= radix - 1)
          return Status::Corrupt("column {}: dictId {} of {}", open->column->field().name, ids_[i],
                                 radix - 1);
        combined_[i] = combined_[i] * radix + ids_[i];
      }
      if (!null_handling_ || !open->column->null_documents()) continue;
      // The id one past the dictionary stands for null.
      for (size_t i = 0; i < rows; ++i) {
        if (open->column->null_documents()->contains(source.documents()[i]))
          combined_[i] += radix - 1 - ids_[i];
      }
    }
    groups.resize(rows);
    new_rows_.clear();
    for (size_t i = 0; i < rows; ++i) {
      groups[i] = Lookup(combined_[i]);
      if (groups[i] == kUnknown) {
        Slot(combined_[i]) = kPending;
        new_rows_.push_back(static_cast<uint32_t>(i));
      }
    }
    if (new_rows_.empty()) return Status::Ok();
    TRELLIS_RETURN_IF_ERROR(ResolveNew(table));
    for (size_t i = 0; i < rows; ++i) groups[i] = Lookup(combined_[i]);
    return Status::Ok();
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX - 1;
  static constexpr uint32_t kPending = UINT32_MAX - 2;

  uint32_t Lookup(uint64_t key) const {
    if (!dense_.empty()) return dense_[key];
    const auto found = sparse_.find(key);
    return found == sparse_.end() ? kUnknown : found->second;
  }
  uint32_t& Slot(uint64_t key) { return dense_.empty() ? sparse_[key] : dense_[key]; }

  // Looks the values of keys seen for the first time up in the lane's table.
  Status ResolveNew(GroupTable& table) {
    std::vector<ColumnVector> values(columns_.size());
    std::vector<const ColumnVector*> pointers;
    std::vector<uint32_t> ids(new_rows_.size());
    for (size_t c = columns_.size(); c-- > 0;) {
      const segment::Column& column = *columns_[c]->column;
      const auto radix = static_cast<uint64_t>(column.dictionary()->size()) + 1;
      // Peel this key's id off the combined number; keys were appended first to last.
      uint64_t below = 1;
      for (size_t later = c + 1; later < columns_.size(); ++later)
        below *= columns_[later]->column->dictionary()->size() + 1;
      std::vector<uint8_t> nulls(new_rows_.size());
      for (size_t i = 0; i < new_rows_.size(); ++i) {
        const uint64_t id = combined_[new_rows_[i]] / below % radix;
        nulls[i] = id == radix - 1;
        ids[i] = nulls[i] ? 0 : static_cast<uint32_t>(id);
      }
      TRELLIS_RETURN_IF_ERROR(column.dictionary()->Gather(ids, values[c]));
      for (size_t i = 0; i < nulls.size(); ++i) {
        if (nulls[i]) values[c].SetNull(i);
      }
    }
    for (const ColumnVector& vector : values) pointers.push_back(&vector);
    std::vector<uint32_t> groups;
    table.FindGroups(pointers, new_rows_.size(), groups);
    for (size_t i = 0; i < new_rows_.size(); ++i) Slot(combined_[new_rows_[i]]) = groups[i];
    return Status::Ok();
  }

  bool null_handling_ = false;
  std::vector<OpenColumn*> columns_;
  std::vector<uint32_t> dense_;
  absl::flat_hash_map<uint64_t, uint32_t> sparse_;
  std::vector<uint64_t> combined_;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> new_rows_;
};

// Spreads multi-value keys: a row becomes one entry for each combination of its elements.
class ExpandedKeys {
 public:
  void Expand(const std::vector<const ColumnVector*>& keys, size_t rows) {
    rows_.clear();
    std::vector<std::vector<uint32_t>> flat(keys.size());
    for (size_t row = 0; row < rows; ++row) {
      size_t combinations = 1;
      for (const ColumnVector* key : keys) {
        if (key->is_multi_value()) combinations *= key->offsets()[row + 1] - key->offsets()[row];
      }
      for (size_t n = 0; n < combinations; ++n) {
        size_t rest = n;
        for (size_t k = keys.size(); k-- > 0;) {
          const ColumnVector& key = *keys[k];
          if (!key.is_multi_value()) {
            flat[k].push_back(static_cast<uint32_t>(row));
            continue;
          }
          const uint32_t from = key.offsets()[row];
          const size_t size = key.offsets()[row + 1] - from;
          flat[k].push_back(from + static_cast<uint32_t>(rest % size));
          rest /= size;
        }
        rows_.push_back(static_cast<uint32_t>(row));
      }
    }
    vectors_.clear();
    pointers_.clear();
    for (size_t k = 0; k < keys.size(); ++k) vectors_.push_back(Gather(*keys[k], flat[k]));
    for (const ColumnVector& vector : vectors_) pointers_.push_back(&vector);
  }
  const std::vector<uint32_t>& rows() const { return rows_; }
  const std::vector<const ColumnVector*>& keys() const { return pointers_; }

 private:
  ColumnVector Gather(const ColumnVector& key, const std::vector<uint32_t>& flat) const {
    ColumnVector out(ValueType{key.type(), false});
    WithPhysical(key.physical(), [&](auto tag) {
      using T = decltype(tag);
      auto& to = out.values<T>();
      const auto& from = key.values<T>();
      to.reserve(flat.size());
      for (const uint32_t i : flat) to.push_back(from[key.is_constant() ? 0 : i]);
    });
    out.SetSize(flat.size());
    if (key.has_nulls()) {
      for (size_t i = 0; i < rows_.size(); ++i) {
        if (key.is_null(rows_[i])) out.SetNull(i);
      }
    }
    return out;
  }
  std::vector<uint32_t> rows_;
  std::vector<ColumnVector> vectors_;
  std::vector<const ColumnVector*> pointers_;
};

class GroupLane : public Lane {
 public:
  static Result<std::unique_ptr<Lane>> Create(std::shared_ptr<LeafQuery> query) {
    const plan::LeafStage& stage = query->stage;
    std::vector<ValueType> key_types;
    std::vector<eval::Evaluator> keys;
    std::vector<std::vector<eval::Evaluator>> arguments;
    const eval::EvaluationContext context{.null_handling = stage.null_handling};
    for (const plan::Expression& key : stage.keys) {
      TRELLIS_ASSIGN_OR_RETURN(auto evaluator,
                               eval::Evaluator::Create(key, eval::Layer::kTransform, context));
      key_types.push_back(evaluator.type());
      keys.push_back(std::move(evaluator));
    }
    for (const plan::AggregateCall& call : stage.aggregates) {
      auto& list = arguments.emplace_back();
      for (const plan::Expression& argument : call.arguments) {
        TRELLIS_ASSIGN_OR_RETURN(
            auto evaluator, eval::Evaluator::Create(argument, eval::Layer::kTransform, context));
        list.push_back(std::move(evaluator));
      }
    }
    auto lane = std::unique_ptr<GroupLane>(new GroupLane(std::move(query), std::move(key_types)));
    lane->keys_ = std::move(keys);
    lane->arguments_ = std::move(arguments);
    std::set<std::string> columns;
    const auto reads = [&](const plan::Expression& expression) {
      CollectColumns(expression, columns);
      lane->map_keys_.Add(expression);
    };
    for (const plan::Expression& key : lane->query_->stage.keys) reads(key);
    for (const plan::AggregateCall& call : lane->query_->stage.aggregates) {
      for (const plan::Expression& argument : call.arguments) reads(argument);
    }
    lane->columns_ = columns.size();
    lane->projected_keys_ = lane->map_keys_;
    for (const plan::AggregateCall& call : lane->query_->stage.aggregates) {
      if (!call.filter) continue;
      lane->call_filters_.push_back(&*call.filter);
      lane->map_keys_.Add(*call.filter);
    }
    return std::unique_ptr<Lane>(std::move(lane));
  }

  Status Absorb(Lane& other) override {
    auto& lane = static_cast<GroupLane&>(other);
    statistics_ += lane.statistics_;
    return table_.Merge(lane.table_.Export());
  }

  Result<Block> Finish() override {
    if (query_->stage.shape == plan::QueryShape::kAggregate) table_.EnsureSingleGroup();
    table_.ResizeStates();
    statistics_.groups_limit_reached |=
        table_.limit_reached() && query_->stage.shape == plan::QueryShape::kGroupBy;
    return table_.Export();
  }

  bool Satisfied() const override {
    const plan::LeafStage& stage = query_->stage;
    return stage.shape == plan::QueryShape::kDistinct && stage.order_by.empty() &&
           static_cast<int64_t>(table_.size()) >= stage.limit;
  }

 protected:
  Status ProcessMatching(const segment::Segment& segment) override {
    const plan::LeafStage& stage = query_->stage;
    const int64_t scanned_before = statistics_.documents_scanned;
    SegmentSource source(segment, *query_->schema);
    source.ReadTogether(&map_keys_);
    TRELLIS_ASSIGN_OR_RETURN(auto filter, CompileFilter(stage.filter, source, stage.null_handling,
                                                        &statistics_.entries_scanned_in_filter));
    filters_.clear();
    auto keys = std::make_shared<FilterKeys>(projected_keys_, call_filters_, source);
    for (const plan::AggregateCall& call : stage.aggregates) {
      filters_.emplace_back();
      if (!call.filter) continue;
      TRELLIS_ASSIGN_OR_RETURN(filters_.back(),
                               CompileFilter(*call.filter, source, stage.null_handling,
                                             &statistics_.entries_scanned_in_filter, keys));
    }
    TRELLIS_ASSIGN_OR_RETURN(auto by_id,
                             DictionaryKeys::Create(source, stage.keys, stage.null_handling));
    const Status status =
        ForEachMatch(filter.get(), segment.document_count(), kBatchDocuments,
                     [&](std::span<const uint32_t> docs) -> Result<bool> {
                       TRELLIS_RETURN_IF_ERROR(CheckGoesOn(segment));
                       source.SetDocuments(docs);
                       statistics_.documents_scanned += static_cast<int64_t>(docs.size());
                       TRELLIS_RETURN_IF_ERROR(AddBatch(source, by_id ? &*by_id : nullptr));
                       return !Satisfied();
                     });
    statistics_.entries_scanned_post_filter +=
        (statistics_.documents_scanned - scanned_before) * static_cast<int64_t>(columns_);
    statistics_.map_reads += source.map_reads();
    return status;
  }

 private:
  GroupLane(std::shared_ptr<LeafQuery> query, std::vector<ValueType> key_types)
      : Lane(std::move(query)),
        table_(std::move(key_types), query_->functions, query_->stage.null_handling,
               query_->groups_max) {}

  // Finds groups_ (and rows_ where entries are not the batch's rows one to one) of the batch.
  Status FindGroups(SegmentSource& source, DictionaryKeys* by_id) {
    rows_.clear();
    if (keys_.empty()) {
      table_.EnsureSingleGroup();
      groups_.clear();
      return Status::Ok();
    }
    if (by_id) return by_id->Groups(source, table_, groups_);
    std::vector<const ColumnVector*> vectors;
    bool multi_value = false;
    for (eval::Evaluator& key : keys_) {
      TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* vector, key.Evaluate(source));
      vectors.push_back(vector);
      multi_value |= vector->is_multi_value();
    }
    if (!multi_value) {
      table_.FindGroups(vectors, source.rows(), groups_);
      return Status::Ok();
    }
    expanded_.Expand(vectors, source.rows());
    rows_ = expanded_.rows();
    table_.FindGroups(expanded_.keys(), rows_.size(), groups_);
    return Status::Ok();
  }

  // Takes out entries whose group was dropped at the limit.
  void DropUngrouped(size_t rows) {
    if (!table_.limit_reached() || groups_.empty()) return;
    if (rows_.empty()) {
      rows_.resize(rows);
      std::iota(rows_.begin(), rows_.end(), 0);
    }
    size_t kept = 0;
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i] == GroupTable::kNoGroup) continue;
      groups_[kept] = groups_[i];
      rows_[kept++] = rows_[i];
    }
    groups_.resize(kept);
    rows_.resize(kept);
  }

  Status AddBatch(SegmentSource& source, DictionaryKeys* by_id) {
    TRELLIS_RETURN_IF_ERROR(FindGroups(source, by_id));
    DropUngrouped(source.rows());
    table_.ResizeStates();
    for (size_t a = 0; a < arguments_.size(); ++a) {
      std::vector<const ColumnVector*> vectors;
      for (eval::Evaluator& argument : arguments_[a]) {
        TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* vector, argument.Evaluate(source));
        vectors.push_back(vector);
      }
      aggregate::RowsToGroups rows{groups_.empty() ? source.rows() : groups_.size(),
                                   rows_.empty() ? nullptr : rows_.data(),
                                   groups_.empty() ? nullptr : groups_.data()};
      if (!keys_.empty() && groups_.empty()) rows.count = 0;
      if (filters_[a]) {
        TRELLIS_RETURN_IF_ERROR(ApplyFilter(*filters_[a], source, rows));
      }
      TRELLIS_RETURN_IF_ERROR(table_.states(a).Add(vectors, rows));
    }
    return Status::Ok();
  }

  // Narrows the entries to rows for which an aggregation's own FILTER is TRUE.
  Status ApplyFilter(FilterNode& filter, SegmentSource& source, aggregate::RowsToGroups& rows) {
    filtered_docs_.clear();
    const auto docs = source.documents();
    TRELLIS_RETURN_IF_ERROR(filter.Select(docs, true, filtered_docs_));
    passes_.assign(docs.size(), 0);
    size_t at = 0;
    for (const uint32_t doc : filtered_docs_) {
      while (docs[at] != doc) ++at;
      passes_[at] = 1;
    }
    filtered_rows_.clear();
    filtered_groups_.clear();
    for (size_t i = 0; i < rows.count; ++i) {
      const size_t row = rows.row(i);
      if (!passes_[row]) continue;
      filtered_rows_.push_back(static_cast<uint32_t>(row));
      filtered_groups_.push_back(static_cast<uint32_t>(rows.group(i)));
    }
    rows = {filtered_rows_.size(), filtered_rows_.data(), filtered_groups_.data()};
    return Status::Ok();
  }

  GroupTable table_;
  std::vector<eval::Evaluator> keys_;
  std::vector<std::vector<eval::Evaluator>> arguments_;
  std::vector<std::unique_ptr<FilterNode>> filters_;
  ExpandedKeys expanded_;
  size_t columns_ = 0;                             // that keys and arguments read
  MapKeySet projected_keys_;                       // that keys and arguments read
  MapKeySet map_keys_;                             // and the aggregations' own filters
  std::vector<const plan::Filter*> call_filters_;  // of query_
  std::vector<uint32_t> groups_;
  std::vector<uint32_t> rows_;
  std::vector<uint32_t> filtered_docs_;
  std::vector<uint8_t> passes_;
  std::vector<uint32_t> filtered_rows_;
  std::vector<uint32_t> filtered_groups_;
};

}  // namespace

Result<std::unique_ptr<Lane>> MakeGroupLane(std::shared_ptr<LeafQuery> query) {
  return GroupLane::Create(std::move(query));
}

}  // namespace trellis::server
