#include "broker/bind/result_name.h"

#include "broker/sql/print.h"
#include "common/aggregate/aggregate_function.h"
#include "common/types/java_text.h"

namespace trellis::broker {
namespace {

std::string AggregateName(const sql::Expr& call, const aggregate::AggregateSyntax& syntax) {
  std::string name = syntax.print_name + "(";
  for (size_t i = 0; i < syntax.row_arguments && i < call.args.size(); ++i) {
    if (i > 0) name += ",";
    name += call.args[i].is_star() ? "*" : sql::PrintExpr(call.args[i]);
  }
  const bool percentile = syntax.function.starts_with("percentile") && call.args.size() == 2 &&
                          call.args[1].is_literal() && IsNumeric(call.args[1].literal.type());
  const bool with_time = syntax.function == "firstwithtime" || syntax.function == "lastwithtime";
  if (percentile) name += ", " + JavaDoubleText(call.args[1].literal.AsDouble());
  if (with_time && call.args.size() == 3) name += "," + sql::PrintExpr(call.args[2]);
  if (call.args.size() == 1 && call.args[0].is_star() && syntax.row_arguments == 0) name += "*";
  return name + ")";
}

}  // namespace

std::string ResultName(const sql::Expr& expr) {
  if (!expr.is_function() || !aggregate::IsAggregate(expr.name)) return sql::PrintExpr(expr);
  const size_t arguments = expr.args.size() == 1 && expr.args[0].is_star() ? 0 : expr.args.size();
  const auto syntax = aggregate::FindAggregate(expr.name, arguments);
  std::string name = syntax.ok() ? AggregateName(expr, *syntax) : sql::PrintExpr(expr);
  if (expr.filter && syntax.ok())
    name += " FILTER(WHERE " + sql::PrintPredicate(*expr.filter) + ")";
  return name;
}

std::string LiteralName(const Value& literal) {
  if (literal.is_null()) return "null";
  const std::string text = ValueToText(literal);
  return IsText(literal.type()) ? "'" + text + "'" : text;
}

}  // namespace trellis::broker
