#pragma once

#include <functional>

#include "broker/sql/ast.h"
#include "common/base/status.h"
#include "common/plan/filter.h"

namespace trellis::broker {

// Turns a normalised condition into a filter: Pinot's predicate forms
// (pinot-sql.md 1.6.4, 1.6.9, 2.2). Literals are converted to the subject's type; comparisons that
// no value can satisfy fold away.
class FilterBinder {
 public:
  using ExpressionBinder = std::function<Result<plan::Expression>(const sql::Expr&)>;
  // `fold_numbers`: literals outside a numeric column's type fold to TRUE or FALSE (WHERE); else
  // they are errors (HAVING).
  FilterBinder(ExpressionBinder bind, bool fold_numbers)
      : bind_(std::move(bind)), fold_numbers_(fold_numbers) {}

  // Errors: Query(150) for NULL literals and non-literal lists, Query(700) for literals of the
  // wrong form.
  Result<plan::Filter> Bind(const sql::Expr& expr) const;

 private:
  Result<plan::Filter> BindAndOr(const sql::Expr& expr) const;
  Result<plan::Filter> BindComparison(const sql::Expr& expr) const;
  Result<plan::Filter> BindBetween(const sql::Expr& expr) const;
  Result<plan::Filter> BindIn(const sql::Expr& expr) const;
  Result<plan::Filter> BindPattern(const sql::Expr& expr) const;
  Result<plan::Filter> BindTruth(const sql::Expr& expr) const;
  Result<plan::Filter> BindNullTest(const sql::Expr& expr) const;
  Result<plan::Filter> Compare(plan::Expression subject, std::string_view op, const Value& literal,
                               const sql::Position& position) const;
  ExpressionBinder bind_;
  bool fold_numbers_;
};

}  // namespace trellis::broker
