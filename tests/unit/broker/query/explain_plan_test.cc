#include "broker/query/explain_plan.h"

#include <catch2/catch.hpp>

namespace trellis::broker {
namespace {

using plan::Expression;

// One plan of a block: how many segments have it, and its operators, each below the one before.
struct Plan {
  int64_t segments;
  std::vector<std::string> texts;
};

Block PlanBlock(const std::vector<Plan>& plans) {
  Block block;
  block.rows = plans.size();
  block.columns.emplace_back(DataType::kLong);
  block.columns.emplace_back(ValueType{DataType::kString, true});
  block.columns.emplace_back(ValueType{DataType::kInt, true});
  block.columns.emplace_back(ValueType{DataType::kInt, true});
  for (const Plan& plan : plans) {
    std::vector<Value> texts;
    std::vector<Value> ids;
    std::vector<Value> parents;
    for (const std::string& text : plan.texts) {
      texts.push_back(Value::String(text));
      ids.push_back(Value::Int(static_cast<int32_t>(ids.size()) + 3));
      parents.push_back(Value::Int(static_cast<int32_t>(parents.size()) + 2));
    }
    block.columns[0].Append(Value::Long(plan.segments));
    block.columns[1].Append(Value::Array(DataType::kString, std::move(texts)));
    block.columns[2].Append(Value::Array(DataType::kInt, std::move(ids)));
    block.columns[3].Append(Value::Array(DataType::kInt, std::move(parents)));
  }
  return block;
}

std::vector<std::string> Texts(const ResultTable& table) {
  std::vector<std::string> texts;
  for (size_t row = 0; row < table.rows.rows; ++row)
    texts.push_back(table.rows.columns[0].Get(row).bytes());
  return texts;
}

plan::QueryPlan Selection() {
  plan::QueryPlan plan;
  plan.leaf.select = {Expression::Column("a", {DataType::kInt, false})};
  plan.reduce.output = {Expression::Column("#0", {DataType::kInt, false})};
  return plan;
}

Expression Leaf(std::string name) {
  return Expression::Column(std::move(name), {DataType::kDouble, false});
}

using Texted = std::vector<std::string>;

}  // namespace

TEST_CASE("equal plans of several servers are one, with their segments added up") {
  const plan::QueryPlan query = Selection();
  ExplainPlan plans(query);
  REQUIRE(plans.Add(PlanBlock({{1, {"SELECT", "PROJECT"}}})).ok());
  REQUIRE(plans.Add(PlanBlock({{2, {"SELECT", "PROJECT"}}})).ok());
  const ResultTable table = plans.Finish(true, 3);
  CHECK(Texts(table) == Texted{"BROKER_REDUCE(limit:10)", "COMBINE_SELECT",
                               "PLAN_START(numSegmentsForThisPlan:3)", "SELECT", "PROJECT"});
  CHECK(table.rows.columns[1].Get(1) == Value::Int(2));
  CHECK(table.rows.columns[2].Get(1) == Value::Int(1));
  CHECK(table.rows.columns[1].Get(2) == Value::Int(-1));
}

TEST_CASE("without verbose only the plan that tells most is shown") {
  const plan::QueryPlan query = Selection();
  ExplainPlan plans(query);
  REQUIRE(plans
              .Add(PlanBlock({{4, {"A", "A", "A", "FILTER_EMPTY"}},
                              {5, {"B", "B", "B", "FILTER_MATCH_ENTIRE_SEGMENT(docs:1)"}},
                              {6, {"C"}},
                              {7, {"D", "D"}}}))
              .ok());
  CHECK(Texts(plans.Finish(false, 22)) == Texted{"BROKER_REDUCE(limit:10)", "COMBINE_SELECT",
                                                 "PLAN_START(numSegmentsForThisPlan:7)", "D", "D"});
  CHECK(Texts(plans.Finish(true, 22)).size() == 2 + 4 + 11);
  QueryStatistics statistics;
  plans.CountFilters(statistics);
  CHECK(statistics.explain_empty_filter_segments == 4);
  CHECK(statistics.explain_match_all_filter_segments == 5);
}

TEST_CASE("no plan at all means that every segment was pruned") {
  const plan::QueryPlan query = Selection();
  ExplainPlan plans(query);
  REQUIRE(plans.Add(PlanBlock({})).ok());
  const ResultTable table = plans.Finish(false, 9);
  CHECK(Texts(table) == Texted{"BROKER_REDUCE(limit:10)", "PLAN_START(numSegmentsForThisPlan:9)",
                               "ALL_SEGMENTS_PRUNED_ON_SERVER"});
  CHECK(table.rows.columns[1].Get(2) == Value::Int(2));
  CHECK(table.rows.columns[2].Get(2) == Value::Int(1));
}

TEST_CASE("a block that is no list of plans is refused") {
  const plan::QueryPlan query = Selection();
  ExplainPlan plans(query);
  Block narrow = PlanBlock({{1, {"A"}}});
  narrow.columns.pop_back();
  CHECK(plans.Add(narrow).code() == StatusCode::kDataLoss);
  Block other = PlanBlock({{1, {"A"}}});
  other.columns[1] = other.columns[2];
  CHECK(plans.Add(other).code() == StatusCode::kDataLoss);
  Block ragged = PlanBlock({{1, {"A"}}});
  ragged.columns[2] = ColumnVector(ValueType{DataType::kInt, true});
  ragged.columns[2].Append(Value::Array(DataType::kInt, {}));
  CHECK(plans.Add(ragged).code() == StatusCode::kDataLoss);
}

TEST_CASE("the broker's line names HAVING, ORDER BY, LIMIT and functions of aggregations") {
  plan::QueryPlan query;
  query.leaf.shape = plan::QueryShape::kGroupBy;
  query.leaf.keys = {Expression::Column("k", {DataType::kString, false})};
  query.leaf.aggregates = {{"sum", {Leaf("x")}, {}, {}},
                           {"percentile", {Leaf("x")}, {Value::Int(95)}, {}}};
  plan::Predicate above;
  above.kind = plan::Predicate::Kind::kRange;
  above.subject = Leaf("#1");
  above.lower = Value::Double(10);
  query.reduce.having = plan::Filter::Not(plan::Filter::Of(above));
  query.reduce.order_by = {{Leaf("#2"), false, true}, {Leaf("#0"), true, true}};
  query.reduce.output = {Leaf("#0"),
                         Expression::Function("plus", {DataType::kDouble, false},
                                              {Leaf("#1"), Expression::Literal(Value::Int(1))}),
                         Expression::Function("upper", {DataType::kString, false}, {Leaf("#0")})};
  query.reduce.limit = 5;
  CHECK(DescribeReduce(query) ==
        "BROKER_REDUCE(havingFilter:(NOT sum(x) > '10.0'),"
        "sort:[percentile(x,'95') DESC, k ASC NULLS FIRST],limit:5,"
        "postAggregations:plus(sum(x),'1'))");
}

TEST_CASE("sorted selections are combined by minimum and maximum only of bare columns") {
  plan::LeafStage stage;
  stage.order_by = {{Leaf("x"), true, false}};
  CHECK(DescribeCombine(stage) == "COMBINE_SELECT_ORDERBY_MINMAX");
  stage.order_by[0].expression = Expression::Function("f", {DataType::kInt, false}, {});
  CHECK(DescribeCombine(stage) == "COMBINE_SELECT_ORDERBY");
}

TEST_CASE("a query of literals is the broker's alone") {
  const ResultTable table = BrokerOnlyPlan();
  CHECK(Texts(table) == Texted{"BROKER_EVALUATE"});
  CHECK(table.rows.columns[2].Get(0) == Value::Int(-1));
}

}  // namespace trellis::broker
