#include "broker/bind/sum_rewrite.h"

namespace trellis::broker {
namespace {

using sql::Expr;

bool IsNumber(const Expr& expr) {
  return expr.is_literal() && !expr.literal.is_null() && IsNumeric(expr.literal.type());
}

Expr Call(std::string name, Expr a, Expr b) {
  std::vector<Expr> args;
  args.push_back(std::move(a));
  args.push_back(std::move(b));
  return Expr::Function(std::move(name), std::move(args));
}

Expr Aggregate(const std::string& name, const Expr& column) {
  std::vector<Expr> args;
  args.push_back(column);
  return Expr::Function(name, std::move(args));
}

std::string Opposite(const std::string& name) {
  return name == "min" ? "max" : name == "max" ? "min" : name;
}

}  // namespace

void RewriteArithmeticAggregate(Expr& expr) {
  if (!expr.is_function() || expr.filter || expr.args.size() != 1) return;
  const std::string name = expr.name;
  if (name != "sum" && name != "avg" && name != "min" && name != "max") return;
  const Expr inner = expr.args[0];
  if (!inner.is_function() || inner.args.size() != 2) return;
  const bool times = inner.name == "times" || inner.name == "mult";
  const bool plus = inner.name == "plus" || inner.name == "add";
  const bool minus = inner.name == "minus" || inner.name == "sub";
  if (!times && !plus && !minus) return;
  const bool literal_first = IsNumber(inner.args[0]);
  const Expr& literal = literal_first ? inner.args[0] : inner.args[1];
  const Expr& column = literal_first ? inner.args[1] : inner.args[0];
  if (!IsNumber(literal) || !column.is_identifier()) return;
  const sql::Position position = expr.position;
  // What the literal adds up to over the rows: once a row for SUM, once for the others.
  const Expr share = name == "sum" ? Call("mult", literal, Aggregate("count", column)) : literal;
  if (times) {
    const bool negative = literal.literal.AsDouble() < 0;
    expr = Call("mult", Aggregate(negative ? Opposite(name) : name, column), literal);
  } else if (plus) {
    expr = Call("add", Aggregate(name, column), share);
  } else if (literal_first) {
    expr = Call("sub", share, Aggregate(Opposite(name), column));
  } else {
    expr = Call("sub", Aggregate(name, column), share);
  }
  expr.position = position;
}

}  // namespace trellis::broker
