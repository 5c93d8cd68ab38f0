#pragma once

#include <vector>

#include "broker/bind/filter_binder.h"
#include "broker/sql/ast.h"
#include "common/plan/stage.h"
#include "common/types/schema.h"

namespace trellis::broker {

// Binds expressions over groups: keys and aggregations become columns "#0", "#1", ... of the reduce
// stage (keys first), everything around them a scalar function. Each aggregation is computed once
// however often it is written.
class AggregateBinder {
 public:
  AggregateBinder(const Schema& schema, bool null_handling)
      : schema_(schema), null_handling_(null_handling) {}

  // Adds a GROUP BY key. REQUIRES: no Bind before the last key.
  Status AddKey(const sql::Expr& expr);
  // Errors: Query(150) for a column that is no key; Query(700) for functions and types.
  Result<plan::Expression> Bind(const sql::Expr& expr);

  const std::vector<sql::Expr>& key_trees() const { return key_trees_; }
  std::vector<plan::Expression>& keys() { return keys_; }
  std::vector<plan::AggregateCall>& calls() { return calls_; }

 private:
  Result<plan::Expression> BindCall(const sql::Expr& expr);
  const Schema& schema_;
  bool null_handling_;
  std::vector<sql::Expr> key_trees_;
  std::vector<plan::Expression> keys_;
  std::vector<sql::Expr> call_trees_;
  std::vector<plan::AggregateCall> calls_;
  std::vector<ValueType> call_types_;
};

// "#3": how reduce expressions name the leaf's columns.
std::string LeafColumnName(size_t position);

}  // namespace trellis::broker
