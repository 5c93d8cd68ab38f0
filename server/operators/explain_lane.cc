// EXPLAIN PLAN FOR: the segments' plans in place of their rows.
#include <map>

#include "server/operators/explain.h"
#include "server/operators/lane.h"

namespace trellis::server {
namespace {

class ExplainLane : public Lane {
 public:
  explicit ExplainLane(std::shared_ptr<LeafQuery> query) : Lane(std::move(query)) {}

  Status Absorb(Lane& other) override {
    auto& lane = static_cast<ExplainLane&>(other);
    statistics_ += lane.statistics_;
    for (const auto& [plan, segments] : lane.segments_) segments_[plan] += segments;
    return Status::Ok();
  }

  Result<Block> Finish() override {
    Block block;
    block.rows = segments_.size();
    block.columns.emplace_back(DataType::kLong);
    block.columns.emplace_back(ValueType{DataType::kString, true});
    block.columns.emplace_back(ValueType{DataType::kInt, true});
    block.columns.emplace_back(ValueType{DataType::kInt, true});
    for (const auto& [plan, segments] : segments_) {
      std::vector<Value> texts;
      std::vector<Value> ids;
      std::vector<Value> parents;
      for (const PlanRow& row : plan) {
        texts.push_back(Value::String(row.text));
        ids.push_back(Value::Int(row.id));
        parents.push_back(Value::Int(row.parent_id));
      }
      block.columns[0].Append(Value::Long(segments));
      block.columns[1].Append(Value::Array(DataType::kString, std::move(texts)));
      block.columns[2].Append(Value::Array(DataType::kInt, std::move(ids)));
      block.columns[3].Append(Value::Array(DataType::kInt, std::move(parents)));
    }
    return block;
  }

 protected:
  Status ProcessMatching(const segment::Segment& segment) override {
    TRELLIS_ASSIGN_OR_RETURN(auto plan, ExplainSegment(*query_, segment));
    ++segments_[std::move(plan)];
    return Status::Ok();
  }

 private:
  std::map<std::vector<PlanRow>, int64_t> segments_;  // by plan: how many have it
};

}  // namespace

std::unique_ptr<Lane> MakeExplainLane(std::shared_ptr<LeafQuery> query) {
  return std::make_unique<ExplainLane>(std::move(query));
}

}  // namespace trellis::server
