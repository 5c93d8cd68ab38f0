#pragma once

#include "common/plan/stage.h"
#include "common/types/schema.h"

namespace trellis::server {

// Checks a stage that came over the network against the schema it will run on: every column exists
// with the type the stage gives it, functions resolve to the types written beside them, constants
// of predicates have their subject's type. A stage that passes can be run without further checks of
// types. Errors: Query(710) for unknown columns, Query(700) for the rest, naming the expression.
Status CheckStage(const plan::LeafStage& stage, const Schema& schema);

}  // namespace trellis::server
