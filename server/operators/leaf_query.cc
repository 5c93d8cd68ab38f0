#include "server/operators/leaf_query.h"

#include "server/operators/stage_check.h"

namespace trellis::server {

Result<std::shared_ptr<LeafQuery>> LeafQuery::Create(plan::LeafStage stage,
                                                     std::shared_ptr<const Schema> schema,
                                                     size_t groups_max) {
  if (!schema)
    schema = std::make_shared<const Schema>();
  else
    TRELLIS_RETURN_IF_ERROR(CheckStage(stage, *schema));
  auto query = std::make_shared<LeafQuery>();
  for (const plan::AggregateCall& call : stage.aggregates) {
    aggregate::AggregateSpec spec{call.function, {}, call.parameters, stage.null_handling};
    for (const plan::Expression& argument : call.arguments)
      spec.argument_types.push_back(argument.type);
    TRELLIS_ASSIGN_OR_RETURN(auto function, aggregate::ResolveAggregate(spec));
    query->functions.push_back(std::move(function));
  }
  query->groups_max = stage.groups_max > 0
                          ? std::min<size_t>(static_cast<size_t>(stage.groups_max), groups_max)
                          : groups_max;
  query->stage = std::move(stage);
  query->schema = std::move(schema);
  return query;
}

}  // namespace trellis::server
