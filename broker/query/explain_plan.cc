#include "broker/query/explain_plan.h"

#include <algorithm>
#include <array>

namespace trellis::broker {
namespace {

constexpr int32_t kReduceId = 1;
constexpr int32_t kCombineId = 2;
constexpr int32_t kPlanStartId = -1;

// A count, and the lists of texts, ids and parents' ids.
constexpr std::array<ValueType, 4> kBlockTypes{
    ValueType{DataType::kLong, false}, ValueType{DataType::kString, true},
    ValueType{DataType::kInt, true}, ValueType{DataType::kInt, true}};

ResultTable EmptyTable() {
  ResultTable table{{"Operator", "Operator_Id", "Parent_Id"},
                    {{DataType::kString, false}, {DataType::kInt, false}, {DataType::kInt, false}},
                    {}};
  for (const ValueType& type : table.types) table.rows.columns.emplace_back(type);
  return table;
}

}  // namespace

Status ExplainPlan::Add(const Block& block) {
  if (block.columns.size() != kBlockTypes.size())
    return Status::Corrupt("a block of plans has {} columns, wanted {}", block.columns.size(),
                           kBlockTypes.size());
  for (size_t i = 0; i < kBlockTypes.size(); ++i) {
    if (block.columns[i].value_type() == kBlockTypes[i]) continue;
    return Status::Corrupt("column {} of a block of plans is {}", i,
                           ValueTypeName(block.columns[i].value_type()));
  }
  for (size_t row = 0; row < block.rows; ++row) {
    std::array<Value, kBlockTypes.size()> cells;
    for (size_t i = 0; i < cells.size(); ++i) {
      cells[i] = block.columns[i].Get(row);
      if (cells[i].is_null()) return Status::Corrupt("plan {} has a NULL in column {}", row, i);
    }
    const auto& texts = cells[1].elements();
    const auto& ids = cells[2].elements();
    const auto& parents = cells[3].elements();
    if (texts.size() != ids.size() || texts.size() != parents.size()) {
      return Status::Corrupt("plan {} has {} texts, {} ids, {} parents", row, texts.size(),
                             ids.size(), parents.size());
    }
    Rows rows;
    for (size_t i = 0; i < texts.size(); ++i)
      rows.push_back({texts[i].bytes(), ids[i].int32(), parents[i].int32()});
    plans_[std::move(rows)] += cells[0].int64();
  }
  return Status::Ok();
}

bool ExplainPlan::Contains(const Rows& rows, std::string_view operator_name) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return row.text.starts_with(operator_name); });
}

// Filters that are decided beforehand tell less; smaller is better.
int ExplainPlan::Rank(const Rows& rows) {
  if (Contains(rows, "FILTER_EMPTY")) return 2;
  return Contains(rows, "FILTER_MATCH_ENTIRE_SEGMENT") ? 1 : 0;
}

void ExplainPlan::CountFilters(QueryStatistics& statistics) const {
  for (const auto& [rows, segments] : plans_) {
    const int rank = Rank(rows);
    if (rank == 2) statistics.explain_empty_filter_segments += segments;
    if (rank == 1) statistics.explain_match_all_filter_segments += segments;
  }
}

void ExplainPlan::Append(const Row& row, ResultTable& table) {
  table.rows.columns[0].Append(Value::String(row.text));
  table.rows.columns[1].Append(Value::Int(row.id));
  table.rows.columns[2].Append(Value::Int(row.parent_id));
  ++table.rows.rows;
}

void ExplainPlan::AppendPlan(const Rows& rows, int64_t segments, ResultTable& table) {
  Append(
      {fmt::format("PLAN_START(numSegmentsForThisPlan:{})", segments), kPlanStartId, kPlanStartId},
      table);
  for (const Row& row : rows) Append(row, table);
}

ResultTable ExplainPlan::Finish(bool verbose, int64_t segments) const {
  ResultTable table = EmptyTable();
  Append({DescribeReduce(plan_), kReduceId, 0}, table);
  if (plans_.empty()) {
    AppendPlan({{"ALL_SEGMENTS_PRUNED_ON_SERVER", kReduceId + 1, kReduceId}}, segments, table);
    return table;
  }
  Append({DescribeCombine(plan_.leaf), kCombineId, kReduceId}, table);
  if (verbose) {
    for (const auto& [rows, count] : plans_) AppendPlan(rows, count, table);
    return table;
  }
  const auto best =
      std::min_element(plans_.begin(), plans_.end(), [](const auto& a, const auto& b) {
        const int rank_a = Rank(a.first);
        const int rank_b = Rank(b.first);
        return rank_a != rank_b ? rank_a < rank_b : a.first.size() > b.first.size();
      });
  AppendPlan(best->first, best->second, table);
  return table;
}

ResultTable BrokerOnlyPlan() {
  ResultTable table = EmptyTable();
  ExplainPlan::Append({"BROKER_EVALUATE", 0, -1}, table);
  return table;
}

}  // namespace trellis::broker
