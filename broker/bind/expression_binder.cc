#include "broker/bind/expression_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/aggregate/aggregate_function.h"
#include "common/base/nearest_name.h"
#include "common/types/virtual_column.h"

namespace trellis::broker {
namespace {

bool AllLiterals(const std::vector<sql::Expr>& args) {
  return !args.empty() &&
         std::all_of(args.begin(), args.end(), [](const sql::Expr& e) { return e.is_literal(); });
}

Status FoldCall(sql::Expr& expr) {
  if (!expr.is_function() || !AllLiterals(expr.args) || aggregate::IsAggregate(expr.name) ||
      !eval::IsFoldable(expr.name)) {
    return Status::Ok();
  }
  plan::Expression call = plan::Expression::Function(expr.name, {}, {});
  for (const sql::Expr& arg : expr.args)
    call.arguments.push_back(plan::Expression::Literal(arg.literal));
  auto value = eval::EvaluateConstant(call, eval::Layer::kScalar);
  if (!value.ok()) {
    // A function that has no scalar form of these arguments is left for the server, as Pinot does.
    if (value.status().pinot_code() == PinotCode::kQueryValidation) return Status::Ok();
    return Status::Query(PinotCode::kSqlParsing, "{}: {}{}", expr.name, value.status().message(),
                         At(expr.position));
  }
  if (value->is_null() && value->type() != DataType::kUnknown) return Status::Ok();
  expr = sql::Expr::Literal(std::move(*value), expr.position);
  return Status::Ok();
}

}  // namespace

std::string At(const sql::Position& position) {
  return fmt::format(" (line {}, column {})", position.line, position.column);
}

std::optional<ValueType> ColumnType(const Schema& schema, const std::string& name) {
  if (const FieldSpec* field = schema.Find(name)) return field->value_type();
  if (const VirtualColumn* column = FindVirtualColumn(name)) return column->type;
  return std::nullopt;
}

Status Normalizer::ResolveColumn(sql::Expr& expr) const {
  const auto resolve = [&](const std::string& name) -> bool {
    if (const FieldSpec* field = schema_.Find(name)) {
      expr.name = field->name;
      return true;
    }
    for (const VirtualColumn& column : VirtualColumns()) {
      if (EqualsIgnoreCase(column.name, name)) {
        expr.name = column.name;
        return true;
      }
    }
    return false;
  };
  if (resolve(expr.name)) return Status::Ok();
  if (const size_t dot = expr.name.find('.'); dot != std::string::npos) {
    const std::string prefix = expr.name.substr(0, dot);
    if ((EqualsIgnoreCase(prefix, table_) || EqualsIgnoreCase(prefix, schema_.name())) &&
        resolve(expr.name.substr(dot + 1))) {
      return Status::Ok();
    }
  }
  return Status::Query(PinotCode::kUnknownColumn, "unknown column '{}'{}{}", expr.name,
                       DidYouMean(expr.name, schema_.names()), At(expr.position));
}

Status Normalizer::Normalize(sql::Expr& expr) const {
  if (expr.is_identifier()) return ResolveColumn(expr);
  if (!expr.is_function()) return Status::Ok();
  for (sql::Expr& arg : expr.args) TRELLIS_RETURN_IF_ERROR(Normalize(arg));
  if (expr.filter) {
    sql::Expr filter = *expr.filter;
    TRELLIS_RETURN_IF_ERROR(Normalize(filter));
    expr.filter = std::make_shared<const sql::Expr>(std::move(filter));
  }
  if (expr.name == "count" && expr.args.size() == 1 &&
      (!null_handling_ || expr.args[0].is_literal())) {
    expr.args[0] = sql::Expr::Star(expr.args[0].position);
  }
  return FoldCall(expr);
}

Status FoldConstants(sql::Expr& expr) {
  for (sql::Expr& arg : expr.args) TRELLIS_RETURN_IF_ERROR(FoldConstants(arg));
  return FoldCall(expr);
}

bool ContainsAggregate(const sql::Expr& expr) {
  if (!expr.is_function()) return false;
  if (aggregate::IsAggregate(expr.name)) return true;
  return std::any_of(expr.args.begin(), expr.args.end(), ContainsAggregate);
}

Result<plan::Expression> BindTree(const sql::Expr& expr, const LeafBinder& leaf,
                                  eval::Layer layer) {
  TRELLIS_ASSIGN_OR_RETURN(std::optional<plan::Expression> known, leaf(expr));
  if (known) return std::move(*known);
  if (expr.is_literal()) return plan::Expression::Literal(expr.literal);
  if (expr.is_star()) {
    return Status::Query(PinotCode::kSqlParsing, "'*' cannot stand here{}", At(expr.position));
  }
  TRELLIS_CHECK(expr.is_function());
  if (aggregate::IsAggregate(expr.name)) {
    return Status::Query(PinotCode::kQueryValidation, "aggregation {} cannot stand here{}",
                         expr.name, At(expr.position));
  }
  plan::Expression call = plan::Expression::Function(expr.name, {}, {});
  for (const sql::Expr& arg : expr.args) {
    TRELLIS_ASSIGN_OR_RETURN(auto bound, BindTree(arg, leaf, layer));
    call.arguments.push_back(std::move(bound));
  }
  std::vector<eval::Argument> arguments;
  for (const plan::Expression& argument : call.arguments) {
    arguments.push_back({argument.type, argument.is_literal() ? &argument.literal : nullptr});
  }
  auto function = eval::ResolveFunction(call.name, arguments, layer);
  if (!function.ok()) {
    const Status& status = function.status();
    return Status(status.code(), status.message() + At(expr.position), status.pinot_code());
  }
  call.type = (*function)->result_type();
  return call;
}

Result<plan::Expression> BindRowExpression(const sql::Expr& expr, const Schema& schema) {
  const LeafBinder leaf = [&](const sql::Expr& e) -> Result<std::optional<plan::Expression>> {
    if (e.is_identifier()) {
      const auto type = ColumnType(schema, e.name);
      if (!type)
        return Status::Query(PinotCode::kUnknownColumn, "unknown column '{}'{}", e.name,
                             At(e.position));
      return std::optional(plan::Expression::Column(e.name, *type));
    }
    if (!e.is_function("item")) return std::optional<plan::Expression>();
    if (e.args.size() != 2 || !e.args[0].is_identifier()) {
      return Status::Query(PinotCode::kQueryValidation,
                           "Map Item: left operand must be a MAP column{}", At(e.position));
    }
    const FieldSpec* field = schema.Find(e.args[0].name);
    if (!field || !IsMapLike(field->type)) {
      return Status::Query(PinotCode::kQueryValidation, "{} is not a MAP column{}", e.args[0].name,
                           At(e.position));
    }
    if (!e.args[1].is_literal() || e.args[1].literal.is_null()) {
      return Status::Query(PinotCode::kQueryValidation, "the key of a MAP must be a literal{}",
                           At(e.position));
    }
    std::string key = ValueToText(e.args[1].literal);
    const DataType type = field->KeyType(key);
    return std::optional(plan::Expression::MapKey(field->name, std::move(key), {type, false}));
  };
  return BindTree(expr, leaf, eval::Layer::kTransform);
}

}  // namespace trellis::broker
