#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "common/plan/expression.h"

namespace trellis::server {

// Adds the columns that `expression` reads; several keys of one MAP are one column. Their number
// times the documents is what Pinot counts as entries scanned after the filter.
inline void CollectColumns(const plan::Expression& expression, std::set<std::string>& columns) {
  if (expression.is_column() || expression.kind == plan::Expression::Kind::kMapKey) {
    columns.insert(expression.name);
  }
  for (const plan::Expression& argument : expression.arguments) CollectColumns(argument, columns);
}

}  // namespace trellis::server
