// The broker's own lines of a plan. The reduce stage names leaf columns "#0", "#1", ...; here they
// get their printed forms back.
#include <algorithm>
#include <charconv>
#include <optional>

#include "broker/query/explain_plan.h"

namespace trellis::broker {
namespace {

using plan::Expression;
using plan::Filter;

std::string Joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string joined;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) joined += between;
    joined += texts[i];
  }
  return joined;
}

std::optional<size_t> LeafColumn(const Expression& expression) {
  if (!expression.is_column() || !expression.name.starts_with('#')) return std::nullopt;
  size_t position = 0;
  const char* end = expression.name.data() + expression.name.size();
  const auto parsed = std::from_chars(expression.name.data() + 1, end, position);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(position) : std::nullopt;
}

class ReducePrinter {
 public:
  explicit ReducePrinter(const plan::QueryPlan& plan) : plan_(plan) {
    for (const plan::SortItem& item : plan.leaf.order_by) {
      if (plan.leaf.shape == plan::QueryShape::kSelection)
        columns_.push_back(plan::PrintExpression(item.expression));
    }
    for (const Expression& e : plan.leaf.select) columns_.push_back(plan::PrintExpression(e));
    for (const Expression& e : plan.leaf.keys) columns_.push_back(plan::PrintExpression(e));
    first_aggregate_ = columns_.size();
    for (const plan::AggregateCall& call : plan.leaf.aggregates) columns_.push_back(Print(call));
  }

  std::string Describe() const {
    const plan::ReduceStage& reduce = plan_.reduce;
    std::vector<std::string> parts;
    if (reduce.having) parts.push_back("havingFilter:" + Print(*reduce.having));
    if (!reduce.order_by.empty()) {
      std::vector<std::string> items;
      for (const plan::SortItem& item : reduce.order_by) items.push_back(Print(item));
      parts.push_back("sort:[" + Joined(items, ", ") + "]");
    }
    parts.push_back("limit:" + std::to_string(reduce.limit));
    std::vector<std::string> functions;
    for (const Expression& output : reduce.output) AddPostAggregation(output, functions);
    for (const plan::SortItem& item : reduce.order_by)
      AddPostAggregation(item.expression, functions);
    if (!functions.empty()) parts.push_back("postAggregations:" + Joined(functions, ", "));
    return "BROKER_REDUCE(" + Joined(parts, ",") + ")";
  }

 private:
  Expression Named(Expression expression) const {
    const auto position = LeafColumn(expression);
    if (position && *position < columns_.size()) expression.name = columns_[*position];
    for (Expression& argument : expression.arguments) argument = Named(std::move(argument));
    return expression;
  }

  std::string Print(const Expression& expression) const {
    return plan::PrintExpression(Named(expression));
  }

  std::string Print(const plan::SortItem& item) const {
    std::string text = Print(item.expression) + (item.ascending ? " ASC" : " DESC");
    const bool by_default = item.nulls_first != item.ascending;  // nulls are largest
    if (!by_default) text += item.nulls_first ? " NULLS FIRST" : " NULLS LAST";
    return text;
  }

  std::string Print(const Filter& filter) const {
    std::vector<std::string> children;
    for (const Filter& child : filter.children) children.push_back(Print(child));
    switch (filter.kind) {
      case Filter::Kind::kTrue:
        return "true";
      case Filter::Kind::kFalse:
        return "false";
      case Filter::Kind::kAnd:
        return "(" + Joined(children, " AND ") + ")";
      case Filter::Kind::kOr:
        return "(" + Joined(children, " OR ") + ")";
      case Filter::Kind::kNot:
        return "(NOT " + Joined(children, "") + ")";
      case Filter::Kind::kPredicate:
        break;
    }
    plan::Predicate predicate = filter.predicate;
    predicate.subject = Named(std::move(predicate.subject));
    return plan::PrintPredicate(predicate);
  }

  std::string Print(const plan::AggregateCall& call) const {
    std::vector<std::string> arguments;
    for (const Expression& e : call.arguments) arguments.push_back(plan::PrintExpression(e));
    for (const Value& v : call.parameters) arguments.push_back("'" + ValueToText(v) + "'");
    const bool star = call.function == "count" && arguments.empty();
    std::string text = call.function + "(" + (star ? "*" : Joined(arguments, ",")) + ")";
    if (call.filter) text += " FILTER(WHERE " + Print(*call.filter) + ")";
    return text;
  }

  bool ContainsAggregate(const Expression& expression) const {
    const auto position = LeafColumn(expression);
    if (position) return *position >= first_aggregate_;
    return std::any_of(expression.arguments.begin(), expression.arguments.end(),
                       [&](const Expression& argument) { return ContainsAggregate(argument); });
  }

  void AddPostAggregation(const Expression& expression, std::vector<std::string>& to) const {
    if (expression.kind != Expression::Kind::kFunction || !ContainsAggregate(expression)) return;
    std::string text = Print(expression);
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
  }

  const plan::QueryPlan& plan_;
  std::vector<std::string> columns_;  // printed forms of "#0", "#1", ...
  size_t first_aggregate_ = 0;
};

}  // namespace

std::string DescribeReduce(const plan::QueryPlan& plan) { return ReducePrinter(plan).Describe(); }

std::string DescribeCombine(const plan::LeafStage& stage) {
  switch (stage.shape) {
    case plan::QueryShape::kAggregate:
      return "COMBINE_AGGREGATE";
    case plan::QueryShape::kGroupBy:
      return "COMBINE_GROUP_BY";
    case plan::QueryShape::kDistinct:
      return "COMBINE_DISTINCT";
    case plan::QueryShape::kSelection:
      break;
  }
  if (stage.order_by.empty() || stage.limit == 0) return "COMBINE_SELECT";
  return stage.order_by[0].expression.is_column() ? "COMBINE_SELECT_ORDERBY_MINMAX"
                                                  : "COMBINE_SELECT_ORDERBY";
}

}  // namespace trellis::broker
