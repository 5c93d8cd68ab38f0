#include "broker/bind/aggregate_binder.h"

#include <algorithm>

#include "broker/bind/expression_binder.h"
#include "broker/sql/print.h"
#include "common/aggregate/aggregate_function.h"

namespace trellis::broker {
namespace {

Status WithPlace(const Status& status, const sql::Position& position) {
  return Status(status.code(), status.message() + At(position), status.pinot_code());
}

}  // namespace

std::string LeafColumnName(size_t position) { return "#" + std::to_string(position); }

Status AggregateBinder::AddKey(const sql::Expr& expr) {
  if (ContainsAggregate(expr)) {
    return Status::Query(PinotCode::kSqlParsing, "an aggregation cannot stand in GROUP BY{}",
                         At(expr.position));
  }
  if (std::find(key_trees_.begin(), key_trees_.end(), expr) != key_trees_.end())
    return Status::Ok();
  TRELLIS_ASSIGN_OR_RETURN(plan::Expression key, BindRowExpression(expr, schema_));
  if (IsMapLike(key.type.type)) {
    return Status::Query(PinotCode::kQueryValidation, "cannot group by {}, which is a {}{}",
                         plan::PrintExpression(key), ValueTypeName(key.type), At(expr.position));
  }
  key_trees_.push_back(expr);
  keys_.push_back(std::move(key));
  return Status::Ok();
}

Result<plan::Expression> AggregateBinder::Bind(const sql::Expr& expr) {
  const LeafBinder leaf = [&](const sql::Expr& e) -> Result<std::optional<plan::Expression>> {
    const auto key = std::find(key_trees_.begin(), key_trees_.end(), e);
    if (key != key_trees_.end() && !e.is_literal()) {
      const auto position = static_cast<size_t>(key - key_trees_.begin());
      // A multi-value key is one element a group.
      return std::optional(
          plan::Expression::Column(LeafColumnName(position), {keys_[position].type.type, false}));
    }
    if (e.is_identifier()) {
      return Status::Query(PinotCode::kSqlParsing,
                           "'{}' is neither in GROUP BY nor inside an aggregation{}", e.name,
                           At(e.position));
    }
    if (!e.is_function() || !aggregate::IsAggregate(e.name))
      return std::optional<plan::Expression>();
    TRELLIS_ASSIGN_OR_RETURN(plan::Expression call, BindCall(e));
    return std::optional(std::move(call));
  };
  return BindTree(expr, leaf, eval::Layer::kScalar);
}

Result<plan::Expression> AggregateBinder::BindCall(const sql::Expr& expr) {
  const auto known = std::find(call_trees_.begin(), call_trees_.end(), expr);
  auto position = static_cast<size_t>(known - call_trees_.begin());
  if (known == call_trees_.end()) {
    const bool star = expr.args.size() == 1 && expr.args[0].is_star();
    const size_t written = star ? 0 : expr.args.size();
    auto syntax = aggregate::FindAggregate(expr.name, written);
    if (!syntax.ok())
      return WithPlace(syntax.status().WithPinotCode(PinotCode::kQueryValidation), expr.position);
    plan::AggregateCall call;
    call.function = syntax->function;
    aggregate::AggregateSpec spec{call.function, {}, {}, null_handling_};
    for (size_t i = 0; i < written && i < syntax->row_arguments; ++i) {
      TRELLIS_ASSIGN_OR_RETURN(plan::Expression argument, BindRowExpression(expr.args[i], schema_));
      spec.argument_types.push_back(argument.type);
      call.arguments.push_back(std::move(argument));
    }
    call.parameters = syntax->implied;
    for (size_t i = syntax->row_arguments; i < written; ++i) {
      if (!expr.args[i].is_literal()) {
        return Status::Query(PinotCode::kQueryValidation, "argument {} of {} must be a literal{}",
                             i + 1, expr.name, At(expr.args[i].position));
      }
      call.parameters.push_back(expr.args[i].literal);
    }
    spec.parameters = call.parameters;
    auto function = aggregate::ResolveAggregate(spec);
    if (!function.ok()) return WithPlace(function.status(), expr.position);
    if (expr.filter) {
      const FilterBinder filters([&](const sql::Expr& e) { return BindRowExpression(e, schema_); },
                                 true);
      TRELLIS_ASSIGN_OR_RETURN(call.filter, filters.Bind(*expr.filter));
    }
    position = calls_.size();
    call_trees_.push_back(expr);
    calls_.push_back(std::move(call));
    call_types_.push_back((*function)->result_type());
  }
  return plan::Expression::Column(LeafColumnName(keys_.size() + position), call_types_[position]);
}

}  // namespace trellis::broker
