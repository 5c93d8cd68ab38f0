#pragma once

#include <memory>
#include <string>
#include <vector>

#include "broker/bind/query_options.h"
#include "broker/catalog/catalog.h"
#include "broker/sql/ast.h"
#include "common/plan/stage.h"

namespace trellis::broker {

// A query with every name resolved and every type known.
struct BoundQuery {
  QueryOptions options;
  bool explain = false;
  // Null for a SELECT of literals, which no server is asked for: its row is `literals`.
  std::shared_ptr<const Table> table;
  plan::QueryPlan plan;
  std::vector<Value> literals;
  // The condition folded to FALSE: no server is asked, aggregations answer over no rows.
  bool matches_nothing = false;
};

// Binds a parsed query against a catalog snapshot; `request_options` come after the text's own.
// Never looks at a segment. Errors carry Pinot's code: 150 for shapes that are no query, 190
// unknown table, 700 for unknown functions, unsuitable types and what is refused, 710 unknown
// column.
Result<BoundQuery> Bind(sql::Statement statement, const CatalogSnapshot& catalog,
                        const OptionList& request_options);

}  // namespace trellis::broker
