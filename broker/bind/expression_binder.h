#pragma once

#include <functional>
#include <string>
#include <vector>

#include "broker/bind/query_options.h"
#include "broker/sql/ast.h"
#include "common/base/status.h"
#include "common/eval/evaluator.h"
#include "common/plan/expression.h"
#include "common/types/schema.h"

namespace trellis::broker {

// " (line 3, column 14)" for the end of a message.
std::string At(const sql::Position& position);

// Gives names their meaning: columns get the schema's spelling (a `table.` prefix is dropped),
// functions of literals are folded, COUNT(x) becomes COUNT(*) where null handling is off. Works on
// the syntax tree, because the result columns' names are printed from it afterwards.
class Normalizer {
 public:
  Normalizer(const Schema& schema, std::string table, bool null_handling)
      : schema_(schema), table_(std::move(table)), null_handling_(null_handling) {}
  // Errors: Query(710) for unknown columns, Query(150) for folds that fail.
  Status Normalize(sql::Expr& expr) const;

 private:
  Status ResolveColumn(sql::Expr& expr) const;
  const Schema& schema_;
  std::string table_;
  bool null_handling_;
};

// Folds functions of literals in a tree without columns (SELECT 1 + 1). Errors: Query(150).
Status FoldConstants(sql::Expr& expr);

// Whether the tree contains a call of an aggregation.
bool ContainsAggregate(const sql::Expr& expr);

// The type of a physical or virtual column; nullopt when there is none. `field` may be null.
std::optional<ValueType> ColumnType(const Schema& schema, const std::string& name);

// Binds a normalised tree without aggregations to columns of the schema, in the transform layer.
// Errors: Query(700) for unknown functions or unsuitable arguments.
Result<plan::Expression> BindRowExpression(const sql::Expr& expr, const Schema& schema);

// Binds function calls over whatever `leaf` turns into expressions (it returns nullopt for trees it
// does not know as a whole), and infers types in `layer`.
using LeafBinder = std::function<Result<std::optional<plan::Expression>>(const sql::Expr&)>;
Result<plan::Expression> BindTree(const sql::Expr& expr, const LeafBinder& leaf, eval::Layer layer);

}  // namespace trellis::broker
